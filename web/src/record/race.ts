import type { Model } from '../api/index';
import type { PrefillResult, Step } from '../api/types';
import type { RunRecord, UncachedRun } from './record';

/** One side of a race: what each pass cost. */
export type Lap = UncachedRun;

/** The same prompt run twice, with the cache and without, both of them really. */
export interface RaceRecord {
  prompt: number[];
  tokens: number;
  cached: Lap;
  uncached: Lap;
  /** The reader stopped it, or the context was full. */
  finished: boolean;
}

/**
 * Both runs go forward together, a token here and a token there, past the end token: two sessions
 * of one engine, the same sampling. onStep is called after each pair of steps with the same object.
 */
export async function runRace(
  model: Model,
  run: RunRecord,
  tokens: number,
  signal: AbortSignal,
  onStep: (race: RaceRecord) => void,
): Promise<RaceRecord> {
  const prompt = run.prompt.tokens.map((token) => token.id);
  const { kvType, contextLength } = run.session;
  const sessions = await Promise.all(
    [true, false].map((kvCache) => model.createSession({ kvType, contextLength, kvCache })),
  );
  try {
    const [cached, uncached] = [
      lapOf(await sessions[0]!.prefill(prompt, { signal })),
      lapOf(await sessions[1]!.prefill(prompt, { signal })),
    ];
    const race: RaceRecord = { prompt, tokens, cached, uncached, finished: false };
    onStep(race);
    const { temperature, minP, seed } = run.settings;
    const options = { temperature, minP, seed, maxTokens: tokens, ignoreEos: true, lookahead: 0 };
    const [a, b] = sessions.map((session) => session.generate(options));
    while (!signal.aborted) {
      const [kept, redone] = [await a!.next(), await b!.next()];
      if (kept.done || redone.done) break;
      cached.steps.push(costOf(kept.value));
      uncached.steps.push(costOf(redone.value));
      onStep(race);
    }
    race.finished = true;
    return race;
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
  }
}

const lapOf = ({ tokens, ms, macs }: PrefillResult): Lap => ({
  prefill: { tokens, ms, macs },
  steps: [],
});

const costOf = ({ id, ms, macs }: Step) => ({ id, ms, macs });

export type RaceMetric = 'ms' | 'macs';

/** Sums after the prefill and after each step, in the order of the sequence's tokens. */
export function summed({ prefill, steps }: Lap, metric: RaceMetric): number[] {
  let sum = prefill[metric];
  return [sum, ...steps.map((step) => (sum += step[metric]))];
}

export interface Comparison {
  /** The nth token of the sequence, counted from 1. */
  token: number;
  /** The pass that this token needed. */
  step: { cached: number; uncached: number; ratio: number };
  /** Everything up to it. */
  sum: { cached: number; uncached: number; ratio: number };
}

/** At the wanted token of the sequence, or at the last one there is; null before any decode pass. */
export function compareAt(race: RaceRecord, wanted: number, metric: RaceMetric): Comparison | null {
  const { cached, uncached } = race;
  const last = Math.min(cached.steps.length, uncached.steps.length) - 1;
  const index = Math.min(last, wanted - 1 - cached.prefill.tokens);
  if (index < 1) return null; // the first token needs no pass
  const pair = (a: number, b: number) => ({ cached: a, uncached: b, ratio: b / a });
  return {
    token: cached.prefill.tokens + index + 1,
    step: pair(cached.steps[index]![metric], uncached.steps[index]![metric]),
    sum: pair(summed(cached, metric)[index + 1]!, summed(uncached, metric)[index + 1]!),
  };
}

/** How many tokens both have, and whether every one of them is the same. */
export function sameTokens({ cached, uncached }: RaceRecord): { tokens: number; same: boolean } {
  const tokens = Math.min(cached.steps.length, uncached.steps.length);
  const same = cached.steps.slice(0, tokens).every(({ id }, i) => id === uncached.steps[i]!.id);
  return { tokens, same };
}
