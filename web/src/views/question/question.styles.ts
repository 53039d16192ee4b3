import { css } from 'lit';

export const questionStyles = css`
  h3 + .note {
    margin: 0.25rem 0 0.5rem;
  }
  .flow {
    display: grid;
    gap: 0.75rem;
    margin: 0.75rem 0;
    font-size: var(--_small);
  }
  .part.q {
    position: relative;
  }
  b {
    display: inline-grid;
    width: 1.25rem;
    height: 1.25rem;
    border: 2px solid var(--_q);
    border-radius: 50%;
    place-content: center;
    font-size: 0.6875rem;
    line-height: 1;
  }
  .part p {
    margin-bottom: 0.125rem;
    color: var(--_muted);
  }
  .part.q kv-stripe {
    opacity: 0.55;
  }
  .gone {
    position: absolute;
    inset: auto 0.375rem 0.1875rem auto;
    line-height: 1.3;
    padding: 0 0.375rem;
    border: 1px dashed var(--_q);
    border-radius: 0.75rem;
    background: var(--paper, Canvas);
  }
  .part p.gone {
    margin: 0;
    color: inherit;
  }
  .keys {
    width: 100%;
    table-layout: fixed;
  }
  .keys th:nth-child(2) {
    width: 3.5rem;
  }
  .keys th[scope='row'],
  .candidates .name {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  th,
  td {
    padding-block: 0.125rem;
  }
  th small,
  li small {
    font-size: 0.6875rem;
  }
  .keys th:last-child {
    width: 12rem;
  }
  .weight .meter {
    float: inline-start;
    margin: 0.375rem 0 0 1rem;
  }
  .meter {
    display: inline-block;
    height: 0.5rem;
    border-radius: 0.125rem;
    background: var(--_q);
    width: calc(var(--p) * 6rem);
    min-width: 1px;
    margin-inline-end: 0.375rem;
    forced-color-adjust: none;
  }
  .meter[hidden] {
    display: none;
  }
  .candidates {
    min-height: 7.5rem;
  }
  .candidates li {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 6.5rem 4rem;
    align-items: center;
    width: 100%;
    min-height: 1.5rem;
  }
  .candidates .meter {
    background: var(--_strong);
  }
  .candidates .p {
    text-align: end;
  }
  .chosen {
    font-weight: 600;
  }
  .chosen .meter {
    background: var(--_ink);
  }
  @media (forced-colors: active) {
    .meter,
    .chosen .meter,
    .candidates .meter {
      background: CanvasText;
    }
  }
  .tally {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: 0.25rem 1.5rem;
    margin: 0.5rem 0;
    padding-top: 0.5rem;
    border-top: 1px solid var(--_line);
    font-size: var(--_small);
  }
  dt {
    color: var(--_muted);
  }
  @media (prefers-reduced-motion: no-preference) {
    .part.q kv-stripe {
      transition: opacity 0.4s 0.3s;
    }
  }
`;
