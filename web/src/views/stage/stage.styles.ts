import { css } from 'lit';

export const stageStyles = css`
  .pointer {
    position: absolute;
    z-index: 1;
    inset-inline: -0.25rem 0;
    border: 2px solid var(--_ink);
    border-radius: 0.25rem;
    pointer-events: none;
  }
  .stage {
    position: relative;
    display: grid;
    grid-template-columns: 8.5rem minmax(0, 1fr);
  }
  .gutter,
  .content {
    position: relative;
  }
  .gutter {
    font-size: var(--_small);
    line-height: 1.3;
  }
  .gutter > div {
    position: absolute;
    inset-inline: 0 0.5rem;
    display: flex;
    flex-direction: column;
    justify-content: center;
    overflow-wrap: anywhere;
  }
  .gutter .layers {
    justify-content: space-between;
  }
  .axis {
    position: relative;
    overflow: auto hidden;
    overscroll-behavior-x: contain;
  }
  .axis:focus-visible {
    outline-offset: -2px;
  }
  .canvas {
    position: absolute;
    inset: 0;
    overflow: hidden; /* the last tile is wider than its columns */
    pointer-events: none;
  }
  .canvas canvas {
    position: absolute;
    top: 0;
  }
  .chip {
    position: absolute;
    display: flex;
    flex-direction: column;
    align-items: center;
    justify-content: center;
    border: 1px solid var(--_line);
    background: var(--paper, Canvas);
    line-height: 1.3;
    cursor: pointer;
  }
  /* Not each chip: a clip more has the browser sort all that is painted into layers again. */
  .chip.cut {
    overflow: hidden;
  }
  .chip.prompt {
    background: var(--_prefill);
  }
  .chip.reused {
    border-style: dashed;
    background: none;
  }
  .chip.word-start,
  .chip.special,
  .chip.first {
    border-start-start-radius: 0.25rem;
    border-end-start-radius: 0.25rem;
  }
  .chip.word-end {
    border-start-end-radius: 0.25rem;
    border-end-end-radius: 0.25rem;
  }
  .chip.end {
    border-color: var(--_strong);
  }
  .chip.selected {
    border-color: var(--_ink);
  }
  .chip.asker {
    box-shadow: inset 0 3px 0 var(--_q);
  }
  .chip-text {
    white-space: pre;
  }
  .chip.special .chip-text,
  .chip.bytes .chip-text,
  .chip.blank .chip-text {
    color: var(--_muted);
  }
  .chip-id {
    color: var(--_muted);
    font-size: 0.6875rem;
    white-space: nowrap;
  }
  .chip-id i {
    font-style: normal;
  }
  .bundles {
    display: flex;
    grid-column: 2;
    gap: 2px;
    min-height: 2.75rem;
    margin-bottom: 0.5rem;
    overflow-x: auto;
  }
  .bundles-name {
    align-self: center;
    margin-bottom: 0.5rem;
    font-size: var(--_small);
  }
  .bundle {
    position: relative;
    flex-basis: 4.25rem;
    flex-shrink: 0;
    padding: 0 0.25rem 0.25rem;
    border-radius: 0.25rem;
    font-size: 0.6875rem;
    line-height: 1.3;
  }
  .bundle small {
    display: block;
    color: var(--_muted);
    font-size: inherit;
  }
  .bundle[aria-current='true'] {
    border-color: var(--_ink);
  }
  .bundle:focus-visible {
    outline-offset: -2px;
  }
  .share {
    position: absolute;
    inset: auto auto 1px 1px;
    width: calc(var(--p) * (100% - 2px));
    height: 0.25rem;
    background: var(--_q);
    forced-color-adjust: none;
  }
  .divider {
    position: absolute;
    top: 0;
    bottom: 0;
    width: 0;
    border-inline-start: 1px dashed var(--_strong);
  }
  .phase {
    position: absolute;
    display: flex;
    gap: 0.375rem;
    background: var(--paper, Canvas);
    font-size: var(--_small);
    font-weight: 600;
    white-space: nowrap;
  }
  .phase .muted {
    font-weight: 400;
  }
  .say {
    margin-bottom: 0.5rem;
  }
  .legend {
    margin-top: 0.25rem;
    gap: 0.25rem 1rem;
  }
  .key {
    color: var(--_muted);
  }
  .key.q::before {
    border: 2px solid var(--_q);
    border-radius: 50%;
    background: none;
  }
  .twin {
    max-height: 24rem;
  }
  .twin td,
  .twin th {
    text-align: start;
  }
  @media (max-width: 40rem) {
    .stage {
      grid-template-columns: 5.25rem minmax(0, 1fr);
    }
    .gutter .muted {
      display: none;
    }
  }
  @media (forced-colors: active) {
    .key.q::before {
      border-color: CanvasText;
      background: none;
    }
    .share {
      background: CanvasText;
    }
    .chip.asker {
      border-top-width: 3px;
    }
    .chip.selected {
      outline: 2px solid Highlight;
    }
  }
`;
