import { abortedError, isErrorCode, KvScopeError } from '../api/errors';
import type { CacheUse, Progress } from '../api/types';
import { Download } from './download';
import type { EngineModel, ModelLoader } from './engine';
import { unwrap } from './failure';
import { ModelStore, type Recording } from './model-store';
import { yieldToMessages } from './yield';

export interface LoadContext {
  signal: AbortSignal;
  progress(progress: Progress): void;
}

/** Where the bytes of a model come from. */
export interface Source {
  /** 0 when unknown; the GGUF header's own sum replaces it as soon as it is read. */
  readonly announcedBytes: number;
  /** The next bytes; undefined at the end. Rejects with a KvScopeError. */
  read(): Promise<Uint8Array | undefined>;
  cancel(): void;
}

/** Gives a new loader to `read`, and frees it afterwards. */
type Open = (read: (loader: Promise<ModelLoader>) => Promise<EngineModel>) => Promise<EngineModel>;

/** Enough for a smooth bar, few enough not to matter. */
const PROGRESS_INTERVAL_MS = 60;

/** A model that can be used: the disk is not waited for. */
export interface Loaded {
  model: EngineModel;
  cache: CacheUse;
  /** What comes of it, while it is still being written down. */
  kept?: Promise<CacheUse>;
}

/** Loaded, and not yet on disk: whoever asks for one of these again waits for that. */
const writing = new Map<string, Promise<boolean>>();

/** From what was kept of an earlier visit, without waiting for the network, or from the server. */
export async function loadUrl(
  open: Open,
  url: string,
  cache: boolean,
  context: LoadContext,
): Promise<Loaded> {
  context.progress({ phase: 'connect', loaded: 0, total: 0 });
  const store = cache ? await ModelStore.open() : undefined;
  if (store) await writing.get(url);
  const kept = await store?.find(url);
  if (!store || !kept) return download(open, url, cache, store, context);
  if (kept.label.stale) {
    try {
      return await download(open, url, cache, store, context);
    } catch (error) {
      // Without network, or behind a sign-in page: the older version is still a good one.
      if (context.signal.aborted || !isFilesFault(error)) throw error;
    }
  }
  try {
    const model = await open(async (loader) => feed(await loader, kept, context));
    if (!kept.label.stale) void store.revalidate(url, kept);
    return { model, cache: 'hit' };
  } catch (error) {
    if (context.signal.aborted || !isFilesFault(error)) throw error;
    await store.forget(url); // whatever is wrong with it, the server has a better one
    return download(open, url, cache, store, context);
  }
}

/** Another file may load: neither a fault of this program nor of the machine's memory. */
function isFilesFault(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return isErrorCode(code) && code !== 'out-of-memory';
}

async function download(
  open: Open,
  url: string,
  cache: boolean,
  store: ModelStore | undefined,
  context: LoadContext,
): Promise<Loaded> {
  let keeping: Promise<boolean> | undefined;
  const model = await open(async (loader) => {
    // The request goes out while the engine still compiles.
    const source = await Download.start(url, context.signal);
    const recording = store?.record(url, source.version);
    try {
      const model = await feed(await loader, source, context, recording);
      keeping = recording?.keep();
      return model;
    } catch (error) {
      recording?.drop();
      throw withType(error, url, source.type);
    }
  });
  if (!keeping) return { model, cache: cache ? 'refused' : 'off' };
  writing.set(url, keeping);
  const written = keeping.finally(() => writing.delete(url));
  const kept = written.then((isKept) => (isKept ? 'stored' : 'refused'));
  return { model, cache: 'storing', kept };
}

function withType(error: unknown, url: string, type: string): unknown {
  const { code, message } = error as { code?: unknown; message?: string };
  if (code !== 'not-gguf' || !/html/i.test(type)) return error;
  return new KvScopeError('not-gguf', `${url} is a web page (${type}), not a file. ${message}`);
}

export async function loadBlob(
  loader: Promise<ModelLoader>,
  blob: Blob,
  context: LoadContext,
): Promise<EngineModel> {
  const name = blob instanceof File ? blob.name : 'The blob';
  const reader = blob.stream().getReader();
  const failed = ({ message }: Error) => {
    throw new KvScopeError(
      'read-failed',
      `${name} could not be read (${message}). It may have been moved or changed: choose it again.`,
    );
  };
  const source: Source = {
    announcedBytes: blob.size,
    read: () => reader.read().then(({ value }) => value, failed),
    cancel: () => void reader.cancel().catch(() => {}),
  };
  return feed(await loader, source, context);
}

/** Each chunk goes into the engine as it arrives, so that the file is never held a second time. */
async function feed(
  loader: ModelLoader,
  source: Source,
  { signal, progress }: LoadContext,
  recording?: Recording,
): Promise<EngineModel> {
  let state = { loaded: 0, total: 0 };
  let shownAt = performance.now();
  try {
    for (;;) {
      const chunk = await source.read();
      if (signal.aborted) throw abortedError('Loading');
      if (!chunk) return unwrap(loader.finish());
      await recording?.push(chunk);
      state = unwrap(loader.push(chunk));
      if (performance.now() - shownAt > PROGRESS_INTERVAL_MS) {
        const total = state.total || source.announcedBytes;
        progress({ phase: 'read', loaded: state.loaded, total });
        await yieldToMessages();
        shownAt = performance.now();
      }
    }
  } finally {
    source.cancel();
  }
}
