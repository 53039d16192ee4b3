/** The WebAssembly builds, from "runs everywhere" to "needs a cross-origin isolated page". */
export type Build = 'simd' | 'relaxed' | 'relaxed-threads';

/** Element type of the KV cache. */
export type KvType = 'f16' | 'f32' | 'q8_0';

/** Why the engine runs on one thread; null when it runs on several. */
export type Isolation =
  | 'not-isolated' // the page lacks the COOP/COEP headers that shared memory needs
  | 'no-threads' // this browser has no WebAssembly threads
  | 'no-relaxed-simd' // threads come only with the relaxed build, which this browser cannot run
  | 'single-core' // one logical processor: more threads would only cost
  | 'asked-for-one' // the caller asked for one thread or for a one-thread build
  | 'small-model' // its passes are so short that sharing them out would cost more than it saves
  | 'threads-failed' // threads should have worked, but their workers did not start
  | null;

/** What became of the option `cache`. */
export type CacheUse =
  | 'hit' // read from the browser's storage; the server is asked afterwards whether it has changed
  | 'storing' // downloaded, and on its way into storage: `model.cacheUse` tells when it is there
  | 'stored' // downloaded, and kept for the next visit
  | 'refused' // downloaded; the browser stores nothing here (private window, sandbox), or not so much
  | 'off'; // not asked for, or the source is not a URL

export interface Progress {
  /** connect: waiting for the first byte; read: bytes go into the engine; prefill: tokens computed. */
  phase: 'connect' | 'read' | 'prefill';
  /** Bytes, or tokens in the phase `prefill`. */
  loaded: number;
  /** 0 while it is not known. */
  total: number;
}

/** Where a model's GGUF bytes come from. A string is a URL, relative to the document. */
export type ModelSource = URL | string | Blob | ArrayBuffer;

export interface LoadOptions {
  /** Threads to compute with. More than one needs a cross-origin isolated page. */
  threads?: number | 'auto';
  build?: Build | 'auto';
  /** fast: 8-bit activations; high: results as with f32 activations. */
  precision?: 'auto' | 'fast' | 'high';
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Keep a model that comes from a URL in the browser's storage for the next visit. Default true. */
  cache?: boolean;
  /**
   * kvscope-worker.js on the page's own origin, with the whole folder beside it: for pages that take
   * the script from another origin and whose policy forbids blob: workers.
   */
  workerSrc?: string | URL;
}

export interface ModelInfo {
  name: string;
  architecture: string;
  quantization: string;
  /** Number of weights. */
  parameters: number;
  /** Size of the GGUF file. */
  bytes: number;
  /** Tells files of the same name and size apart. */
  fingerprint: string;
  layers: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  dim: number;
  ffnDim: number;
  vocabSize: number;
  contextLength: number;
  /** Bytes of all weights in the engine: what each decode step reads. */
  weightBytes: number;
  description: string;
  /** The attention head that the file's author names as telling; -1 when none is named. */
  headLayer: number;
  headIndex: number;
  /** The file carries a chat template. */
  chat: boolean;
  cache: CacheUse;
  build: Build;
  /** fast: x is multiplied as 8-bit numbers. high: results as with 32-bit ones. */
  precision: 'fast' | 'high';
  /** That its passes use when no other process holds the cores. */
  threads: number;
  isolation: Isolation;
}

export interface Token {
  id: number;
  /** The token's own text; U+FFFD where its bytes are only a part of a character. */
  text: string;
  bytes: Uint8Array;
  /** A control token such as <|im_end|>: never shown in running text. */
  special: boolean;
}

export interface TokenizeOptions {
  /** Read "<|im_end|>" in the text as that token and not as characters. Default false. */
  special?: boolean;
  /** Put the beginning-of-sequence token in front. auto: as the model's file says. */
  bos?: 'auto' | 'always' | 'never';
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | (string & {});
  content: string;
}

export interface ChatTemplateOptions {
  /** End with the header of the assistant's turn. Default true. */
  addGenerationPrompt?: boolean;
}

export interface SessionOptions {
  /** Tokens that fit. Default: 2048, or the model's own length where that is less. */
  contextLength?: number;
  kvType?: KvType;
  /** false: keep nothing, recompute the whole sequence in each step. */
  kvCache?: boolean;
}

export interface Kv {
  tokens: number;
  capacity: number;
  type: KvType;
  /** 2 × layers × kvHeads × headDim × bytes per element × tokens */
  bytes: number;
  bytesPerToken: number;
  /** Memory set aside for the cache, filled or not. */
  reservedBytes: number;
  layers: { kBytes: number; vBytes: number; heads: number }[];
}

/** A candidate for the next token; p from softmax at temperature 1. */
export interface Candidate {
  id: number;
  text: string;
  p: number;
}

/** What the passes of one call cost. */
export interface PassCost {
  /** Multiply-accumulates done. */
  macs: number;
  weightBytesRead: number;
  kvBytesRead: number;
  /** Bytes of the Q vectors made. */
  qBytes: number;
}

export interface PrefillResult extends PassCost {
  /** Tokens in the sequence. */
  tokens: number;
  /** How many of them were in the cache already. */
  reused: number;
  ms: number;
  kv: Kv;
  top: Candidate[];
}

export interface PrefillOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface GenerateOptions {
  /** Default 256. */
  maxTokens?: number;
  /** 0 (the default): always the most probable token. */
  temperature?: number;
  /** 0: off. */
  topK?: number;
  /** 1: off. */
  topP?: number;
  /** 0: off. */
  minP?: number;
  /** 1: off. */
  repeatPenalty?: number;
  /** uint32; random when left out. */
  seed?: number;
  /** Generation ends when one of these strings appears; it is not part of the text. */
  stop?: string[];
  /** Go on past the end token (races and benchmarks need a fixed length). */
  ignoreEos?: boolean;
  /** Ends the loop with a step whose `finish` is 'abort'. */
  signal?: AbortSignal;
  /**
   * Steps that the engine may be ahead of the loop. Default: none at first, then up to 64 while
   * nothing else is asked of the session. Nobody can tell: when the session is looked into, or the
   * loop is left, the engine goes back to the loop's step, which takes the time of one step.
   */
  lookahead?: number;
}

export type Finish = null | 'stop' | 'length' | 'context' | 'abort';

export interface Step extends PassCost {
  id: number;
  /** '' while a character is incomplete, while a stop string may be forming, and for the end token. */
  text: string;
  /** The token's own bytes, maybe a part of a character; of an end token, its name. */
  bytes: Uint8Array;
  /** 0 for the first generated token. */
  index: number;
  /** The token's position in the sequence. */
  position: number;
  /** The pass that gave this token's logits, and its sampling. The first one's pass was the prefill. */
  ms: number;
  /** The model's probability of the token, at temperature 1. */
  p: number;
  top: Candidate[];
  /** The cache after this step's pass. The token itself enters it in the pass of the next step. */
  kv: Kv;
  finish: Finish;
}

export interface PhaseStats {
  tokens: number;
  ms: number;
  macs: number;
  weightBytesRead: number;
  kvBytesRead: number;
  kvBytesWritten: number;
}

export interface Stats {
  /** Prefill. */
  input: PhaseStats;
  /** Decode. */
  output: PhaseStats;
  /** Bytes of Q vectors that were made, used once and dropped. */
  qBytesDiscarded: number;
}

export interface InspectQuery {
  layer: number;
  head: number;
  position: number;
}

/** The rows of a projection matrix that make one head's vector. */
export interface ProjectionRows {
  /** Of the whole matrix. */
  rows: number;
  cols: number;
  /** The first row of this head. */
  firstRow: number;
  /** [headDim, cols], row-major. */
  values: Float32Array;
}

/** Fields that are null were not kept: they exist for the newest position only. */
export interface Inspection {
  layer: number;
  head: number;
  kvHead: number;
  position: number;
  /** The normalised hidden vector that the three projections read, [dim]. */
  x: Float32Array | null;
  /** W_Q x, [headDim], before and after the rotation by position. */
  q: Float32Array | null;
  qRotated: Float32Array | null;
  /** [headDim], as they lie in the cache: k rotated, both rounded to the cache's type. */
  k: Float32Array;
  v: Float32Array;
  /** W_K x and W_V x, [headDim], before that. */
  kProjected: Float32Array | null;
  vProjected: Float32Array | null;
  /** q · k / √headDim for each position, and its softmax, [position + 1]. */
  scores: Float32Array | null;
  weights: Float32Array | null;
  /** The sum of weights × v, [headDim]. */
  mixed: Float32Array | null;
  wq: ProjectionRows;
  wk: ProjectionRows;
  wv: ProjectionRows;
}
