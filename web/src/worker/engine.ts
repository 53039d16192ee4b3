// What engine/bindings/classes.js exports, as types. A call that fails returns a JS Error with a `code`
// (api/errors.ts); after it the objects still work. They live in the WebAssembly heap until `delete()`.
import type { Inspection, Kv, KvType, ModelInfo, PrefillResult, Stats } from '../api/types';

/** Give it to `unwrap` (failure.ts), which throws the error. */
export type OrError<T> = T | Error;

export interface EngineModule {
  ModelLoader: new (precision: 'fast' | 'high', threads: number) => ModelLoader;
  /** Size of the WebAssembly memory now. */
  heapBytes(): number;
}

/** Gives the glue its module and an instance of it. */
export type InstantiateWasm = (
  imports: WebAssembly.Imports,
  receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
) => object;

export type CreateEngine = (options?: {
  pthreadPoolSize?: number;
  instantiateWasm?: InstantiateWasm;
}) => Promise<EngineModule>;

export interface ModelLoader {
  /** total = 0 until the header is complete. */
  push(chunk: Uint8Array): OrError<{ loaded: number; total: number }>;
  finish(): OrError<EngineModel>;
  delete(): void;
}

/** What the engine knows of a model; the rest is the page's. */
export type EngineInfo = Omit<
  ModelInfo,
  'fingerprint' | 'chat' | 'cache' | 'build' | 'precision' | 'isolation'
>;

export interface EngineModel {
  info(): EngineInfo;
  /** `text` is NFC already. */
  tokenize(text: string, parseSpecial: boolean, bos: 'auto' | 'always' | 'never'): Int32Array;
  piece(
    id: number,
  ): OrError<{ text: string; bytes: Uint8Array; special: boolean; endOfGeneration: boolean }>;
  detokenize(ids: Int32Array): OrError<string>;
  /** `template` is '' when the file has none. */
  chatTemplate(): { template: string; bosToken: string; eosToken: string };
  createSession(contextLength: number, kvType: KvType, kvCache: boolean): OrError<EngineSession>;
  delete(): void;
}

/** What a session's cache is, once and for all. */
export interface KvLayout extends Pick<Kv, 'capacity' | 'type' | 'bytesPerToken'> {
  layers: number;
  /** KV heads of a layer. */
  heads: number;
  /** Of one layer. */
  kBytesPerToken: number;
  vBytesPerToken: number;
}

/** What a session's cache holds and what its passes have cost by now. */
export interface SessionState {
  kv: KvFill;
  stats: Stats;
}
export type KvFill = Pick<Kv, 'tokens' | 'bytes' | 'reservedBytes'>;

export interface EnginePrefill extends Omit<PrefillResult, 'kv' | 'top'> {
  /** (id, p) of each. */
  candidates: Float64Array;
}

/** `count` steps; of each the numbers of STEP, then (id, p) of each candidate. */
export interface EngineSteps {
  count: number;
  numbers: Float64Array;
  /** The steps' texts, one after the other. */
  text: string;
}

/** Where a step's numbers are, in the order of StepBatch::add (engine/bindings/step_batch.cpp). */
export const STEP = {
  id: 0,
  index: 1,
  position: 2,
  ms: 3,
  macs: 4,
  weightBytesRead: 5,
  kvBytesRead: 6,
  kvBytesWritten: 7,
  qBytes: 8,
  p: 9,
  finish: 10,
  kvTokens: 11,
  kvBytes: 12,
  reservedBytes: 13,
  textLength: 14,
  candidates: 15,
} as const;

/** By their number in the engine (enum class Finish). */
export const FINISHES = [null, 'stop', 'length', 'context'] as const;

export interface EngineGenerateOptions {
  maxTokens: number;
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  repeatPenalty: number;
  seed: number;
  stop: string[];
  ignoreEos: boolean;
}

export interface EngineSession {
  prefillBegin(ids: Int32Array, append: boolean): OrError<{ tokens: number; reused: number }>;
  /** done and total count computed tokens. */
  prefillStep(maxTokens: number): OrError<{ done: number; total: number; finished: boolean }>;
  prefillResult(): EnginePrefill;
  /** Keeps what is cached already. */
  prefillAbort(): void;
  generateBegin(options: EngineGenerateOptions): OrError<undefined>;
  /** At least one step; more while fewer than maxSteps are made and budgetMs is not used up. */
  generateSteps(maxSteps: number, budgetMs: number): OrError<EngineSteps>;
  /** As if only the first `steps` steps of the generation had been made. */
  generateRewind(steps: number): OrError<undefined>;
  /** Text still held back: half characters, possible stop strings. */
  generateEnd(): string;
  tokens(): Int32Array;
  kvLayout(): KvLayout;
  state(): SessionState;
  inspect(layer: number, head: number, position: number): OrError<Inspection>;
  /** null before the first pass. */
  logits(): Float32Array | null;
  /** log p of each token but the first, given those before it. */
  score(ids: Int32Array): OrError<Float32Array>;
  truncate(n: number): OrError<undefined>;
  save(): Uint8Array;
  restore(bytes: Uint8Array): OrError<undefined>;
  delete(): void;
}
