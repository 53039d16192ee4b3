// The messages between page and worker: numbered requests, one reply each, progress in between.
import type { ErrorCode } from '../api/errors';
import type {
  Build,
  CacheUse,
  ChatMessage,
  Inspection,
  InspectQuery,
  KvType,
  ModelInfo,
  Progress,
  Token,
} from '../api/types';
import type {
  EngineGenerateOptions,
  EngineInfo,
  EnginePrefill,
  EngineSteps,
  KvLayout,
  SessionState,
} from './engine';

/** Ids that the worker gave out, for objects in its WebAssembly heap. */
export type Handle = number;

export type LoadedModel = {
  model: Handle;
  info: EngineInfo & Pick<ModelInfo, 'fingerprint' | 'chat' | 'cache'>;
};

/** A token's own text and bytes. They cross once a session; from then on its id stands for them. */
export type Piece = Pick<Token, 'id' | 'text' | 'bytes'>;
export type NewPieces = { pieces: Piece[] };

export type StepBatch = EngineSteps & NewPieces;
export type PrefillReply = { result: EnginePrefill; state: SessionState } & NewPieces;

/** Where a bundler put the files that are fetched late; without this they lie beside the worker. */
export type FileUrls = Record<`${Build}.${'mjs' | 'wasm'}` | 'jinja' | 'model', string>;

type Op<Args, Result> = { args: Args; result: Result };

export interface Operations {
  /** Compiles and starts the engine. The thread count in the reply is the one that works. */
  boot: Op<{ build: Build; threads: number; files?: FileUrls }, { build: Build; threads: number }>;

  loadUrl: Op<{ url: string; precision: 'fast' | 'high'; cache: boolean }, LoadedModel>;
  /** Answered once it is sure that the model is kept, or that it is not. */
  cacheUse: Op<{ model: Handle }, CacheUse>;
  loadBlob: Op<{ blob: Blob; precision: 'fast' | 'high' }, LoadedModel>;
  /** For bytes that the page holds: it hands over slices, so that no second whole copy exists. */
  loadBegin: Op<{ precision: 'fast' | 'high' }, { loader: Handle }>;
  loadPush: Op<{ loader: Handle; chunk: Uint8Array }, { loaded: number; total: number }>;
  loadFinish: Op<{ loader: Handle }, LoadedModel>;
  loadCancel: Op<{ loader: Handle }, void>;

  tokenize: Op<
    { model: Handle; text: string; special: boolean; bos: 'auto' | 'always' | 'never' },
    Token[]
  >;
  detokenize: Op<{ model: Handle; ids: Int32Array }, string>;
  applyChatTemplate: Op<
    { model: Handle; messages: ChatMessage[]; addGenerationPrompt: boolean },
    string
  >;
  closeModel: Op<{ model: Handle }, void>;

  createSession: Op<
    { model: Handle; contextLength: number; kvType: KvType; kvCache: boolean },
    { session: Handle; layout: KvLayout; state: SessionState }
  >;
  prefill: Op<{ session: Handle; input: string | Int32Array; append: boolean }, PrefillReply>;
  /**
   * One step, and more while fewer than maxSteps are done and budgetMs is not used up. `begin` starts a
   * generation before that.
   */
  generateNext: Op<
    {
      session: Handle;
      maxSteps: number;
      budgetMs: number;
      begin: EngineGenerateOptions | undefined;
    },
    StepBatch
  >;
  /** Goes back to where the generation stood after its first `steps` steps. */
  generateRewind: Op<{ session: Handle; steps: number }, void>;
  /** The same, and ends it there. Gives the text held back. */
  generateEnd: Op<{ session: Handle; steps: number }, { text: string; state: SessionState }>;
  inspect: Op<{ session: Handle } & InspectQuery, Inspection>;
  logits: Op<{ session: Handle }, Float32Array>;
  score: Op<
    { session: Handle; input: string | Int32Array },
    { logProbabilities: Float32Array; state: SessionState }
  >;
  tokens: Op<{ session: Handle }, Int32Array>;
  state: Op<{ session: Handle }, SessionState>;
  truncate: Op<{ session: Handle; tokens: number }, SessionState>;
  save: Op<{ session: Handle }, Uint8Array>;
  restore: Op<{ session: Handle; bytes: Uint8Array }, SessionState>;
  closeSession: Op<{ session: Handle }, void>;
}

export type OpName = keyof Operations;
export type Args<O extends OpName> = Operations[O]['args'];
export type Result<O extends OpName> = Operations[O]['result'];

export type Request =
  | { [O in OpName]: { id: number; op: O; args: Args<O> } }[OpName]
  | { abort: number };

export type ErrorReply = { code: ErrorCode; message: string };

export type Reply =
  | { id: number; result: unknown }
  | { id: number; error: ErrorReply }
  | { id: number; progress: Progress }
  /** The engine is beyond repair; every request that waits has failed. */
  | { fatal: ErrorReply };
