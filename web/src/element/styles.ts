import { css, unsafeCSS } from 'lit';
import visuallyHidden from '../visually-hidden.css?inline';

export const styles = css`
  :host {
    --_height: 7.5rem;
    --kv-line: color-mix(in srgb, currentColor 22%, transparent);
    display: block;
    font-variant-numeric: tabular-nums;
  }
  :host([hidden]) {
    display: none;
  }
  :host([view='full']) {
    --_height: 44rem;
  }
  :host([view='attention']),
  :host([view='projections']) {
    --_height: 36rem;
  }
  :host([view='race']) {
    --_height: 34rem;
  }
  :host([view='cache']),
  :host([view='cost']) {
    --_height: 28rem;
  }
  .caption {
    margin: 0.5rem 0 0;
    font-size: 0.8125rem;
    line-height: 1.375rem;
  }
  .view {
    box-sizing: border-box;
    height: var(--kv-height, var(--_height));
    overflow: auto;
    overscroll-behavior: contain;
  }
  .view:focus-visible {
    outline: 2px solid currentColor;
    outline-offset: 2px;
  }
  .chips {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem 0;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .chip {
    padding: 0.25rem 0.5rem;
    border: 1px solid var(--kv-line);
    white-space: pre;
  }
  .chip + .chip:not(.word-start) {
    margin-inline-start: -1px;
  }
  .chip:has(+ .word-start) {
    margin-inline-end: 0.5rem;
  }
  .chip.prompt {
    background: color-mix(in srgb, currentColor 7%, transparent);
  }
  .line {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 1rem;
    height: 2.75rem;
    margin: 0.5rem 0 0;
    overflow: hidden auto;
    font-size: 0.8125rem;
  }
  button {
    min-width: 5.5rem;
    min-height: 2.25rem;
    padding: 0 1rem;
    border: 1px solid currentColor;
    border-radius: 0.375rem;
    background: none;
    color: inherit;
    font: inherit;
    font-weight: 600;
    cursor: pointer;
  }
  /* Button, bytes and speed side by side on a phone. */
  @media (max-width: 26rem) {
    .line {
      column-gap: 0.5rem;
    }
    button {
      min-width: 4.5rem;
      padding: 0 0.75rem;
    }
  }
  button:focus-visible {
    outline: 2px solid currentColor;
    outline-offset: 2px;
  }
  ${unsafeCSS(visuallyHidden)}
`;
