import { KvScopeError } from '../api/errors';
import type { Build } from '../api/types';
import type { CreateEngine, EngineModule, InstantiateWasm } from './engine';
import type { FileUrls } from './protocol';

export interface BootedEngine {
  engine: EngineModule;
  build: Build;
  threads: number;
}

/** Time after which thread workers that have not reported are taken as blocked (CSP, extensions). */
const THREAD_START_TIMEOUT_MS = 10_000;

/**
 * Starts the engine. Threads may fail although every feature is there, since their workers are
 * fetched under the page's policies; then the one-thread build of the same kind is used.
 */
export async function boot(build: Build, threads: number, files?: FileUrls): Promise<BootedEngine> {
  if (build !== 'relaxed-threads')
    return { engine: await create(build, 1, files), build, threads: 1 };
  // The glue throws, from an event, what keeps a thread's worker from starting: not for the page to hear.
  let onError!: (event: ErrorEvent) => void;
  const failed = new Promise<never>((_, reject) => {
    onError = (event) => {
      event.preventDefault();
      reject(event.error);
    };
  });
  self.addEventListener('error', onError);
  try {
    const engine = withTimeout(create(build, threads, files));
    return { engine: await Promise.race([engine, failed]), build, threads };
  } catch (error) {
    console.warn('kvscope: threads did not start, going on with one.', error);
    return { engine: await create('relaxed', 1, files), build: 'relaxed', threads: 1 };
  } finally {
    self.removeEventListener('error', onError);
  }
}

async function create(build: Build, threads: number, files?: FileUrls): Promise<EngineModule> {
  // Both lie beside this worker. The glue would ask for its .wasm only once it is there itself.
  const urlOf = (kind: 'mjs' | 'wasm') => {
    const beside = `./kvscope-${build}.${kind}`; // not within the call: Vite would take it for an asset
    return files?.[`${build}.${kind}`] ?? new URL(beside, import.meta.url).href;
  };
  const compiled = compile(urlOf('wasm'));
  compiled.catch(() => {}); // whoever needs it awaits it
  const url = urlOf('mjs');
  let glue: { default: CreateEngine };
  try {
    glue = await import(/* @vite-ignore */ url);
  } catch (error) {
    throw notThere('script', url, error);
  }
  return new Promise((resolve, reject) => {
    const instantiateWasm: InstantiateWasm = (imports, receive) => {
      const instantiate = async (module: WebAssembly.Module) =>
        receive(await WebAssembly.instantiate(module, imports), module);
      compiled.then(instantiate).catch(reject);
      return {};
    };
    // The thread that calls computes too.
    const pool = threads > 1 && { pthreadPoolSize: threads - 1 };
    glue.default({ ...pool, instantiateWasm }).then(resolve, reject);
  });
}

/** While it streams, where the server calls it what it is. */
async function compile(url: string): Promise<WebAssembly.Module> {
  try {
    const response = await fetch(url, { credentials: 'same-origin' });
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`.trimEnd());
    const streams = response.headers.get('content-type') === 'application/wasm';
    if (streams) return await WebAssembly.compileStreaming(response);
    return await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    throw notThere('WebAssembly', url, error);
  }
}

function notThere(what: string, url: string, cause: unknown): KvScopeError {
  const { message } = cause as Error;
  return new KvScopeError(
    'network',
    `The engine's ${what} ${url} could not be loaded (${message}). Is the whole dist/ folder there?`,
    { cause },
  );
}

function withTimeout<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`no answer in ${THREAD_START_TIMEOUT_MS} ms`)),
      THREAD_START_TIMEOUT_MS,
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
