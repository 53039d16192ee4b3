import type { FileUrls } from '../worker/protocol';

/**
 * Where the engine's files lie: beside this script. Each address is written out, so that a bundler finds
 * the file, copies it, and puts in its place whatever it is called then. Our own leaves them as they are.
 */
export const workerFile = () => new URL(/* @vite-ignore */ './kvscope-worker.js', import.meta.url);

/** What is fetched besides. */
export const workersFiles = (): FileUrls => ({
  'simd.mjs': new URL(/* @vite-ignore */ './kvscope-simd.mjs', import.meta.url).href,
  'simd.wasm': new URL(/* @vite-ignore */ './kvscope-simd.wasm', import.meta.url).href,
  'relaxed.mjs': new URL(/* @vite-ignore */ './kvscope-relaxed.mjs', import.meta.url).href,
  'relaxed.wasm': new URL(/* @vite-ignore */ './kvscope-relaxed.wasm', import.meta.url).href,
  'relaxed-threads.mjs': new URL(
    /* @vite-ignore */ './kvscope-relaxed-threads.mjs',
    import.meta.url,
  ).href,
  'relaxed-threads.wasm': new URL(
    /* @vite-ignore */ './kvscope-relaxed-threads.wasm',
    import.meta.url,
  ).href,
  model: new URL(/* @vite-ignore */ './models/kvscope-tiny.gguf', import.meta.url).href,
  jinja: new URL(/* @vite-ignore */ './kvscope-worker-jinja.js', import.meta.url).href,
});
