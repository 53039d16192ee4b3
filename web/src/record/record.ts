import type { Finish, KvType, ModelInfo, PrefillResult, Progress, Step, Token } from '../api/types';
import type { HeadMap } from './head-map';
import type { HeadMatrices, Look } from './looks';

/** A token in a form that survives JSON. */
export interface TokenRecord {
  id: number;
  text: string;
  bytes: number[];
  special: boolean;
}

export type StepRecord = Omit<Step, 'bytes'> & { bytes: number[] };

export interface RunSettings {
  temperature: number;
  maxTokens: number;
  minP: number;
  seed: number;
  ignoreEos: boolean;
}

/**
 * One run of the engine as it happened: plain data, in order, nothing computed afterwards. Every
 * view draws from this, live or replayed.
 */
export interface RunRecord {
  format: 'kvscope-run';
  version: 1;
  model: ModelInfo;
  session: { contextLength: number; kvType: KvType; kvCache: boolean };
  settings: RunSettings;
  prompt: { text: string; chat: boolean; tokens: TokenRecord[] };
  /** How far the prefill is, while it runs. */
  prefilling: Pick<Progress, 'loaded' | 'total'> | null;
  prefill: PrefillResult | null;
  steps: StepRecord[];
  finish: Finish;
  /** What was looked at inside, and the matrices that were opened. */
  looks: Look[];
  matrices: HeadMatrices[];
  /** All heads beside each other, of the moments at which they were read. */
  maps: HeadMap[];
  /** The same prompt run again without the cache, when the reader asked for it. */
  uncached: UncachedRun | null;
}

/** A second, real run of the same prompt that kept nothing: each step recomputes the sequence. */
export interface UncachedRun {
  prefill: { tokens: number; ms: number; macs: number };
  steps: { id: number; ms: number; macs: number }[];
}

export function newRun(
  model: ModelInfo,
  session: RunRecord['session'],
  settings: RunSettings,
  prompt: { text: string; chat: boolean; tokens: Token[] },
): RunRecord {
  return {
    format: 'kvscope-run',
    version: 1,
    model,
    session,
    settings,
    prompt: { ...prompt, tokens: prompt.tokens.map(tokenRecord) },
    prefilling: null,
    prefill: null,
    steps: [],
    finish: null,
    looks: [],
    matrices: [],
    maps: [],
    uncached: null,
  };
}

function tokenRecord({ id, text, bytes, special }: Token): TokenRecord {
  return { id, text, bytes: Array.from(bytes), special };
}

export function addStep(run: RunRecord, step: Step): void {
  run.steps.push({ ...step, bytes: Array.from(step.bytes) });
  run.finish = step.finish;
}

/** Ids of the whole sequence: the prompt's, then those that decode chose. */
export function sequenceIds(run: RunRecord): number[] {
  return [...run.prompt.tokens, ...run.steps].map((token) => token.id);
}
