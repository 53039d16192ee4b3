// What engine/bindings exports, as types. A call that fails returns a JS Error with a `code`
// (api/errors.ts); after it the objects still work. They live in the WebAssembly heap until `delete()`.
import type { Inspection, Kv, KvType, PrefillResult, Stats, Step } from '../api/types';

/** Give it to `unwrap` (failure.ts), which throws the error. */
export type OrError<T> = T | Error;

export interface EngineModule {
  ModelLoader: new (precision: 'fast' | 'high', threads: number) => ModelLoader;
  /** Size of the WebAssembly memory now. */
  heapBytes(): number;
}

export type CreateEngine = (options?: {
  pthreadPoolSize?: number;
  locateFile?: (file: string) => string;
  printErr?: (line: string) => void;
}) => Promise<EngineModule>;

export interface ModelLoader {
  /** total = 0 until the header is complete. */
  push(chunk: Uint8Array): OrError<{ headerDone: boolean; loaded: number; total: number }>;
  finish(): OrError<EngineModel>;
  delete(): void;
}

export interface EngineInfo {
  name: string;
  architecture: string;
  quantization: string;
  parameters: number;
  bytes: number;
  layers: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  dim: number;
  ffnDim: number;
  vocabSize: number;
  contextLength: number;
  weightBytes: number;
  headLayer: number;
  headIndex: number;
  description: string;
}

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

export type EngineStep = Omit<Step, 'bytes'>;

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
  prefillResult(): PrefillResult;
  /** Keeps what is cached already. */
  prefillAbort(): void;
  generateBegin(options: EngineGenerateOptions): OrError<undefined>;
  generateStep(): OrError<EngineStep>;
  /** Text still held back: half characters, possible stop strings. */
  generateAbort(): string;
  tokens(): Int32Array;
  kv(): Kv;
  stats(): Stats;
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
