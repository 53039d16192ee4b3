import { abortedError, KvScopeError } from '../api/errors';
import type { Progress } from '../api/types';
import type { EngineModel, ModelLoader } from './engine';
import { unwrap } from './failure';
import { yieldToMessages } from './yield';

export interface LoadContext {
  signal: AbortSignal;
  progress(progress: Progress): void;
}

interface Source {
  stream: ReadableStream<Uint8Array>;
  /** 0 when unknown; the GGUF header's own sum replaces it as soon as it is read. */
  announcedBytes: number;
  /** What a failing read means: the connection broke, or the file went away. */
  onReadError(error: Error): KvScopeError;
}

/** Enough for a smooth bar, few enough not to matter. */
const PROGRESS_INTERVAL_MS = 60;

/** The request goes out while the engine still compiles: `loader` is a promise. */
export async function loadUrl(
  loader: Promise<ModelLoader>,
  url: string,
  context: LoadContext,
): Promise<EngineModel> {
  context.progress({ phase: 'connect', loaded: 0, total: 0 });
  const response = await request(url, context.signal);
  const type = response.headers.get('content-type') ?? '';
  try {
    return await feed(await loader, responseSource(url, response), context);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'not-gguf' && /html/i.test(type)) {
      const { message } = error as Error;
      throw new KvScopeError('not-gguf', `${url} is a web page (${type}), not a file. ${message}`);
    }
    throw error;
  }
}

export async function loadBlob(
  loader: Promise<ModelLoader>,
  blob: Blob,
  context: LoadContext,
): Promise<EngineModel> {
  const name = blob instanceof File ? blob.name : 'The blob';
  return feed(
    await loader,
    {
      stream: blob.stream(),
      announcedBytes: blob.size,
      onReadError: ({ message }) =>
        new KvScopeError(
          'read-failed',
          `${name} could not be read (${message}). It may have been moved or changed: choose it again.`,
        ),
    },
    context,
  );
}

async function request(url: string, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    if (signal.aborted) throw abortedError('Loading');
    const offline = navigator.onLine === false ? ' This device is offline.' : '';
    throw new KvScopeError(
      'network',
      `${url} could not be fetched (${(error as Error).message}).${offline} Check the connection; a server on another origin must send Access-Control-Allow-Origin.`,
    );
  }
  if (response.ok && response.body) return response;
  const status = `${response.status} ${response.statusText}`.trimEnd();
  const advice = response.status === 404 ? ' Check the address.' : '';
  throw new KvScopeError('http', `${url} answered ${status}.${advice}`);
}

function responseSource(url: string, response: Response): Source {
  // With a content coding, content-length counts other bytes than the ones that arrive here.
  const coded = response.headers.has('content-encoding');
  return {
    stream: response.body!,
    announcedBytes: coded ? 0 : Number(response.headers.get('content-length') ?? 0),
    onReadError: ({ message }) =>
      new KvScopeError(
        'network',
        `The download of ${url} broke off (${message}). Check the connection and try again.`,
      ),
  };
}

/** Each chunk goes into the engine as it arrives, so that the file is never held a second time. */
async function feed(
  loader: ModelLoader,
  { stream, announcedBytes, onReadError }: Source,
  { signal, progress }: LoadContext,
): Promise<EngineModel> {
  const reader = stream.getReader();
  let state = { loaded: 0, total: 0 };
  let shownAt = performance.now();
  try {
    for (;;) {
      const chunk = await reader.read().catch((error: Error) => {
        throw signal.aborted ? abortedError('Loading') : onReadError(error);
      });
      if (signal.aborted) throw abortedError('Loading');
      if (chunk.done) return unwrap(loader.finish());
      state = unwrap(loader.push(chunk.value));
      if (performance.now() - shownAt > PROGRESS_INTERVAL_MS) {
        progress({ phase: 'read', loaded: state.loaded, total: state.total || announcedBytes });
        await yieldToMessages();
        shownAt = performance.now();
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
