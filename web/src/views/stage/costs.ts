// What each pass cost, by the column of the token that it passed through the network.
import type { RunRecord } from '../../record/record';
import type { Metric } from './scene';

export interface Bar {
  /** Columns [from, to) were computed together: prefill is one block, decode one column a pass. */
  from: number;
  to: number;
  cost: number;
}

interface Passes {
  prefill: { tokens: number; ms: number; macs: number; reused?: number } | null;
  steps: { ms: number; macs: number }[];
}

/** steps: how many decode steps had been made. The first one's pass was the prefill. */
export function costBars({ prefill, steps }: Passes, metric: Metric, shown: number): Bar[] {
  if (!prefill) return [];
  const { tokens, reused = 0 } = prefill;
  const bars = [{ from: reused, to: tokens, cost: prefill[metric] }];
  for (let i = 1; i < Math.min(shown, steps.length); i++) {
    bars.push({ from: tokens + i - 1, to: tokens + i, cost: steps[i]![metric] });
  }
  return bars;
}

/** Height of the tallest bar over one column: a block's cost is its area. */
export function tallest(bars: Bar[]): number {
  return bars.reduce((max, { from, to, cost }) => Math.max(max, cost / Math.max(1, to - from)), 0);
}

/** The uncached run, when it is of the same tokens. */
export function uncachedPasses(run: RunRecord): Passes | null {
  return run.uncached && { prefill: run.uncached.prefill, steps: run.uncached.steps };
}

/** 1, 2 or 5 times a power of ten: a scale that changes seldom while costs come in. */
export function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((step) => step * power >= value)!;
}
