// What follows from a record by plain arithmetic: sums and rates.
import type { Kv } from '../api/types';
import type { RunRecord } from './record';

export interface Cost {
  tokens: number;
  ms: number;
  macs: number;
  /** null before anything can be divided. */
  msPerToken: number | null;
  tokensPerSecond: number | null;
  macsPerToken: number | null;
  /** Of the weights and of the cache, read for each token. */
  weightBytesPerToken: number | null;
  kvBytesPerToken: number | null;
  /** Arithmetic intensity: multiply-accumulates for each byte that was read. */
  macsPerByte: number | null;
}

type Pass = { ms: number; macs: number; weightBytesRead: number; kvBytesRead: number };

function cost(tokens: number, passes: Pass[]): Cost {
  const sum = (pick: (pass: Pass) => number) =>
    passes.reduce((total, pass) => total + pick(pass), 0);
  const [ms, macs] = [sum((pass) => pass.ms), sum((pass) => pass.macs)];
  const weights = sum((pass) => pass.weightBytesRead);
  const kv = sum((pass) => pass.kvBytesRead);
  const known = tokens > 0 && ms > 0;
  const read = tokens > 0 && weights > 0;
  return {
    weightBytesPerToken: read ? weights / tokens : null,
    kvBytesPerToken: read ? kv / tokens : null,
    macsPerByte: read ? macs / (weights + kv) : null,
    tokens,
    ms,
    macs,
    msPerToken: known ? ms / tokens : null,
    tokensPerSecond: known ? (1000 * tokens) / ms : null,
    macsPerToken: tokens > 0 ? macs / tokens : null,
  };
}

/** Prefill: the prompt's tokens that were computed and not found in the cache. */
export function inputCost({ prefill }: RunRecord): Cost {
  return prefill ? cost(prefill.tokens - prefill.reused, [prefill]) : cost(0, []);
}

/**
 * Decode: one pass a token. The first token needs no pass of its own, since its logits are the
 * prefill's: it is counted where it was computed.
 */
export function outputCost({ steps }: RunRecord): Cost {
  const passes = steps.filter((step) => step.macs > 0);
  return cost(passes.length, passes);
}

/** The cache as the newest step left it. */
export function newestKv(run: RunRecord): Kv | null {
  return run.steps.at(-1)?.kv ?? run.prefill?.kv ?? null;
}
