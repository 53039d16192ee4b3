import { css } from 'lit';

export const headsStyles = css`
  details {
    margin: 0.5rem 0 0.75rem;
    font-size: var(--_small);
  }
  table {
    width: 100%;
    margin-top: 0.25rem;
    border-spacing: 2px;
    border-collapse: separate;
    table-layout: fixed;
  }
  th,
  td {
    padding: 0;
    border: 0;
    font-size: 0.6875rem;
    line-height: 1;
    text-align: center;
  }
  .layers {
    width: 2.125rem;
  }
  thead th {
    padding-bottom: 0.1875rem;
    color: var(--_muted);
    font-weight: 400;
  }
  /* The heads that read the same K and V stand under one line. */
  .kv span {
    display: block;
    padding-bottom: 0.25rem;
    border-bottom: 2px solid var(--_strong);
  }
  .gap {
    width: 0.375rem;
  }
  /* It spans the gap before it. */
  .first {
    padding-inline-start: calc(0.375rem + 2px);
  }
  th[scope='row'] {
    color: var(--_muted);
    text-align: start;
  }
  .cell {
    position: relative;
    display: block;
    height: var(--row, 1.75rem);
    min-width: 0.75rem;
    background: var(--_tint);
    cursor: pointer;
  }
  svg {
    display: block;
    width: 100%;
    height: 100%;
  }
  path {
    fill: var(--_q);
  }
  [role='gridcell'] {
    outline: none;
  }
  [aria-selected='true'] .cell {
    outline: 2px solid var(--_ink);
  }
  .cell:hover {
    outline: 1px solid var(--_strong);
  }
  :focus-visible .cell {
    z-index: 1;
    outline: 2px solid var(--_ink);
    outline-offset: 2px;
  }
  .proposed .cell::after,
  .mark.proposed::before {
    position: absolute;
    inset: 0.125rem 0.125rem auto auto;
    width: 0.5rem;
    height: 0.5rem;
    border: 2px solid var(--_q);
    border-radius: 50%;
    background: var(--paper, Canvas);
    content: '';
  }
  .say {
    margin-top: 0.375rem;
  }
  .marks {
    display: block;
  }
  .mark {
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
    margin-inline-end: 0.75rem;
    white-space: nowrap;
  }
  .mark.proposed::before {
    position: static;
  }
  .mark.chosen::before {
    width: 1rem;
    height: 0.625rem;
    border: 2px solid var(--_ink);
    content: '';
  }
  /* Thirty layers are a finger apart only when they are higher. */
  @media (pointer: coarse) {
    .cell {
      height: max(var(--row, 1.75rem), 1.5rem);
    }
  }
  @media (forced-colors: active) {
    path {
      fill: CanvasText;
    }
    .cell {
      outline: 1px solid GrayText;
    }
    [aria-selected='true'] .cell {
      outline-color: Highlight;
    }
  }
`;
