import { css } from 'lit';

/** The legend's marks: K is a square, V a disc, told apart without colour too. */
export const keyStyles = css`
  .key {
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
  }
  .key::before {
    width: 0.625rem;
    height: 0.625rem;
    background: var(--_k);
    content: '';
  }
  .key.v::before {
    border-radius: 50%;
    background: var(--_v);
  }
  @media (forced-colors: active) {
    .key::before,
    .key.v::before {
      background: CanvasText;
      forced-color-adjust: none;
    }
  }
`;
