import type { Kv } from '../../api/types';
import type { RunRecord } from '../../record/record';

export interface KvSeries {
  tokens: number[];
  bytes: number[];
  /** K's share of `bytes`; V has the rest. */
  kBytes: number[];
}

/** Cache bytes after the prefill and so many steps, over the number of tokens at that time. */
export function kvOverTokens(run: RunRecord | null, steps = Infinity): KvSeries {
  const series: KvSeries = { tokens: [0], bytes: [0], kBytes: [0] };
  const add = (tokens: number, kv: Kv) => {
    // The first step has no pass of its own: the cache is as the prefill left it.
    if (tokens === series.tokens.at(-1)) return;
    series.tokens.push(tokens);
    series.bytes.push(kv.bytes);
    series.kBytes.push(kv.layers.reduce((sum, layer) => sum + layer.kBytes, 0));
  };
  if (run?.prefill) add(run.prefill.tokens, run.prefill.kv);
  // The token that a step chose enters the cache in the next step's pass.
  for (const step of (run?.steps ?? []).slice(0, steps)) add(step.position, step.kv);
  return series;
}
