import { KvScopeError } from '../api/errors';
import type { Build } from '../api/types';
import type { CreateEngine, EngineModule } from './engine';
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
  try {
    return { engine: await withTimeout(create(build, threads, files)), build, threads };
  } catch (error) {
    console.warn('kvscope: threads did not start, going on with one.', error);
    return { engine: await create('relaxed', 1, files), build: 'relaxed', threads: 1 };
  }
}

async function create(build: Build, threads: number, files?: FileUrls): Promise<EngineModule> {
  // The glue lies beside this worker and fetches its .wasm itself, compiling while it streams.
  const beside = `./kvscope-${build}.mjs`;
  const url = files?.[`${build}.mjs`] ?? new URL(beside, import.meta.url).href;
  let glue: { default: CreateEngine };
  try {
    glue = await import(/* @vite-ignore */ url);
  } catch (error) {
    throw new KvScopeError(
      'network',
      `The engine's script ${url} could not be loaded (${(error as Error).message}). Is the whole dist/ folder there?`,
      { cause: error },
    );
  }
  // The thread that calls computes too.
  return glue.default({
    ...(threads > 1 && { pthreadPoolSize: threads - 1 }),
    ...(files && { locateFile: () => files[`${build}.wasm`] }),
  });
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
