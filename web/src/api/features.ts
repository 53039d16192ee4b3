import { relaxedSimd, simd, threads as wasmThreads } from 'wasm-feature-detect';
import { KvScopeError } from './errors';
import type { Build, Isolation } from './types';

export interface BuildChoice {
  build: Build;
  threads: number;
  isolation: Isolation;
}

/** More threads than this only wait for each other in a decode step of a small model. */
const MAX_THREADS = 8;

/**
 * Chooses the fastest build that this browser and this page allow, by feature and never by name. A model
 * known to be small gets no threads that it would only have to wait for.
 */
export async function chooseBuild(
  build: Build | 'auto' = 'auto',
  threads: number | 'auto' = 'auto',
  isSmall = false,
): Promise<BuildChoice> {
  checkArguments(build, threads);
  if (!(await simd())) {
    throw new KvScopeError(
      'unsupported-browser',
      'WebAssembly SIMD is missing. Chrome 91, Firefox 89, Safari 16.4 and later have it.',
    );
  }
  if (build === 'simd') return { build, threads: 1, isolation: 'asked-for-one' };

  const relaxed = await relaxedSimd();
  if (build !== 'auto' && !relaxed) {
    throw new KvScopeError(
      'build-unavailable',
      `The build "${build}" needs WebAssembly relaxed SIMD, which this browser lacks. Use build: 'auto' or 'simd'.`,
    );
  }
  if (build === 'relaxed') return { build, threads: 1, isolation: 'asked-for-one' };

  const isolation =
    (await whyOneThread(relaxed, threads, build)) ??
    (isSmall && threads === 'auto' && build === 'auto' ? 'small-model' : null);
  if (isolation === null) {
    return { build: 'relaxed-threads', threads: countThreads(threads), isolation };
  }
  if (build === 'relaxed-threads') {
    throw new KvScopeError(
      'build-unavailable',
      `The build "relaxed-threads" cannot run here (${isolation}). It needs a browser with WebAssembly threads, a cross-origin isolated page (COOP and COEP headers) and threads other than 1.`,
    );
  }
  return { build: relaxed ? 'relaxed' : 'simd', threads: 1, isolation };
}

async function whyOneThread(
  relaxed: boolean,
  threads: number | 'auto',
  build: Build | 'auto',
): Promise<Isolation> {
  if (threads === 1) return 'asked-for-one';
  if (!relaxed) return 'no-relaxed-simd';
  if (!globalThis.crossOriginIsolated) return 'not-isolated';
  if (!(await wasmThreads())) return 'no-threads';
  const alone = threads === 'auto' && build === 'auto' && navigator.hardwareConcurrency === 1;
  return alone ? 'single-core' : null;
}

function countThreads(threads: number | 'auto'): number {
  if (threads !== 'auto') return threads;
  return Math.min(MAX_THREADS, Math.max(2, navigator.hardwareConcurrency));
}

function checkArguments(build: string, threads: number | 'auto'): void {
  if (!['auto', 'simd', 'relaxed', 'relaxed-threads'].includes(build)) {
    throw new KvScopeError(
      'bad-argument',
      `build is "${build}"; it can be 'auto', 'simd', 'relaxed' or 'relaxed-threads'.`,
    );
  }
  if (threads !== 'auto' && !(Number.isInteger(threads) && threads >= 1 && threads <= 64)) {
    throw new KvScopeError('bad-argument', `threads is ${threads}; it can be 'auto' or 1 to 64.`);
  }
}
