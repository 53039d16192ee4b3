import type { Model, Session } from '../api/index';
import type { PrefillResult, Step } from '../api/types';
import { addStep, newRun, type RunRecord } from '../record/record';

export interface RunWishes {
  prompt: string;
  maxTokens: number;
  temperature: number;
  seed: number;
}

export async function beginRun(
  model: Model,
  session: Session,
  { prompt, maxTokens, temperature, seed }: RunWishes,
): Promise<RunRecord> {
  const tokens = await model.tokenize(prompt, { special: true });
  const settings = { maxTokens, temperature, seed, minP: 0, ignoreEos: false };
  const { capacity, type } = session.kv;
  const cache = { contextLength: capacity, kvType: type, kvCache: true };
  return newRun(model.info, cache, settings, { text: prompt, chat: false, tokens });
}

export interface RunListener {
  onPrefill(result: PrefillResult): void;
  onStep(step: Step): void;
}

/** From an empty cache, so that the whole input cost is seen. An abort ends it: see api/types. */
export async function performRun(
  session: Session,
  run: RunRecord,
  signal: AbortSignal,
  listener: RunListener,
): Promise<void> {
  if (session.kv.tokens > 0) await session.truncate(0);
  const ids = run.prompt.tokens.map((token) => token.id);
  run.prefill = await session.prefill(ids, { signal });
  listener.onPrefill(run.prefill);
  for await (const step of session.generate({ ...run.settings, signal })) {
    addStep(run, step);
    listener.onStep(step);
  }
}
