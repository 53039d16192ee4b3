import { css, unsafeCSS } from 'lit';
import roomStyles from '../room.css?inline';
import { figureStyles } from './figure';

/** What every view starts from. Colours come from the page when it sets them, and from here when not. */
export const viewStyles = css`
  :host {
    --_line: var(--line, color-mix(in srgb, currentColor 16%, transparent));
    --_strong: var(--line-strong, color-mix(in srgb, currentColor 50%, transparent));
    --_muted: var(--muted, color-mix(in srgb, currentColor 70%, transparent));
    --_tint: var(--tint, color-mix(in srgb, currentColor 6%, transparent));
    --_prefill: var(--prefill, color-mix(in srgb, currentColor 8%, transparent));
    --_k: var(--k, light-dark(#2f6fd0, #6ea8ff));
    --_v: var(--v, light-dark(#14876a, #45bf9b));
    --_q: var(--q, light-dark(#b8560f, #f09a55));
    --_ink: var(--ink, currentColor);
    --_small: var(--small, 0.8125rem);
    display: block;
    /* What is painted anew in one view leaves the others' painting as it is. */
    isolation: isolate;
    font-variant-numeric: tabular-nums;
  }
  :host([hidden]) {
    display: none;
  }
  * {
    box-sizing: border-box;
  }
  p,
  ol,
  ul,
  dl,
  dd,
  h3,
  figure {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  h3 {
    font-size: 1rem;
    font-weight: 600;
  }
  .muted {
    color: var(--_muted);
  }
  .note {
    max-width: 42rem;
    font-size: var(--_small);
  }
  small {
    font-size: var(--_small);
  }
  button,
  select,
  input {
    color: inherit;
    font: inherit;
    font-size: var(--_small);
  }
  button,
  select,
  input:not([type='checkbox'], [type='range'], [type='radio']) {
    min-height: 2.25rem;
    padding: 0 0.75rem;
    border: 1px solid var(--_line);
    border-radius: 0.375rem;
    background: var(--paper, Canvas);
  }
  button {
    white-space: nowrap;
    cursor: pointer;
  }
  button:hover:not(:disabled) {
    border-color: var(--_strong);
  }
  button:disabled {
    color: var(--_muted);
    cursor: default;
  }
  button[aria-pressed='true'] {
    border-color: var(--_strong);
    background: var(--_tint);
    font-weight: 600;
  }
  button.primary {
    border-color: var(--_ink);
    background: var(--_ink);
    color: var(--paper, Canvas);
    font-weight: 600;
  }
  button.primary:disabled {
    border-color: var(--_line);
    background: var(--_tint);
    color: var(--_muted);
  }
  ${figureStyles}
  :focus-visible {
    outline: 2px solid var(--_ink);
    outline-offset: 2px;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    font-size: var(--_small);
  }
  .field {
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
  }
  /* As wide with two digits as with one. */
  .field select {
    min-width: 4.25rem;
  }
  summary {
    width: max-content;
    max-width: 100%;
    padding: 0.25rem 0;
    color: var(--_muted);
    font-size: var(--_small);
    cursor: pointer;
  }
  table {
    border-collapse: collapse;
    font-size: var(--_small);
  }
  th,
  td {
    padding: 0.25rem 0.75rem 0.25rem 0;
    border-bottom: 1px solid var(--_line);
    text-align: end;
    white-space: nowrap;
  }
  th {
    font-weight: 600;
  }
  th[scope='row'] {
    font-weight: 400;
  }
  th:first-child,
  td:first-child {
    text-align: start;
  }
  th:last-child,
  td:last-child {
    padding-inline-end: 0;
  }
  /* Not where the page allows it for running text: a heading of two syllables would part in a table. */
  th,
  td {
    overflow-wrap: break-word;
  }
  .not-recorded {
    margin: 0.75rem 0;
    padding: 0.75rem 1rem;
    border: 1px dashed var(--_strong);
    border-radius: 0.375rem;
    font-size: var(--_small);
  }
  .not-recorded button {
    margin-top: 0.5rem;
  }
  .scroll {
    overflow: auto;
    overscroll-behavior-x: contain;
  }
  @media (forced-colors: active) {
    button[aria-pressed='true'] {
      text-decoration: underline;
    }
  }
  ${unsafeCSS(roomStyles)}
`;
