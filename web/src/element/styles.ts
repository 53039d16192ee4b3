import { css } from 'lit';

export const styles = css`
  :host {
    --kv-line: color-mix(in srgb, currentColor 22%, transparent);
    display: block;
    font-variant-numeric: tabular-nums;
  }
  :host([hidden]) {
    display: none;
  }
  .chips {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem 0;
    min-height: 2.25rem;
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
    min-height: 2.25rem;
    margin: 0.5rem 0 0;
    font-size: 0.8125rem;
  }
  button {
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
  button:focus-visible {
    outline: 2px solid currentColor;
    outline-offset: 2px;
  }
  button:disabled {
    opacity: 0.6;
    cursor: default;
  }
`;
