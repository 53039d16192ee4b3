import { css } from 'lit';

export const projectionStyles = css`
  .bar {
    margin: 0.75rem 0;
  }
  .field input {
    width: 5rem;
  }
  .name {
    width: 5rem;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .x,
  .part {
    font-size: var(--_small);
  }
  .x {
    margin-bottom: 1rem;
  }
  .parts {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr));
    gap: 1rem 2rem;
  }
  .matrix {
    --stripe-height: 9rem;
    margin-bottom: 0.5rem;
  }
  .shape {
    min-height: 1lh;
    color: var(--_muted);
  }
  .empty {
    height: 1.5rem;
    border: 1px dashed var(--_strong);
  }
  .part {
    padding-top: 0.375rem;
    border-top: 3px solid var(--_q);
  }
  .part.k {
    border-color: var(--_k);
  }
  .part.v {
    border-color: var(--_v);
  }
  sub {
    font-size: 0.75em;
    line-height: 1;
  }
  .sum {
    margin-top: 1rem;
    overflow-wrap: anywhere;
  }
  .products {
    height: 20rem;
  }
  .tables {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    justify-content: start;
    gap: 0.5rem 2rem;
  }
  @media (max-width: 40rem) {
    .tables {
      grid-template-columns: minmax(0, 1fr);
    }
  }
`;
