// Runs the ceilings' WebAssembly on one worker, and on several at the same moment.
const lanes = { dot_i16: 8, relaxed_dot_i16: 16, relaxed_dot_i32: 16 };
const chains = 8;
const dotRounds = 1_000_000;
const largeBytes = 100 * 2 ** 20;

let workers = [];

function ask(worker, message) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) =>
      'error' in data ? reject(new Error(data.error)) : resolve(data.result);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(message);
  });
}

async function start(threads) {
  const modules = {};
  for (const name of ['simd', 'relaxed']) {
    modules[name] = await WebAssembly.compileStreaming(fetch(`../ceilings/ceilings-${name}.wasm`));
  }
  const gate = new Int32Array(new SharedArrayBuffer(8));
  workers = Array.from(
    { length: threads },
    () => new Worker('ceilings-worker.mjs', { type: 'module' }),
  );
  await Promise.all(workers.map((worker) => ask(worker, { modules, gate })));
}

/** Milliseconds of the slowest of `threads` workers that do the same at the same time. */
async function time(threads, module, name, argument, repeats) {
  const message = { threads, module, name, argument, repeats };
  return Math.max(...(await Promise.all(workers.slice(0, threads).map((w) => ask(w, message)))));
}

/** Of the faster way to read: one place after the other, or four by turns. */
async function bandwidth(threads, bytes) {
  const each = Math.floor(bytes / threads / 512) * 512;
  const repeats = Math.max(1, Math.round(largeBytes / bytes));
  const inOrder = await time(threads, 'simd', 'sum_memory', each, repeats);
  const byTurns = await time(threads, 'simd', 'sum_four_places', each, repeats);
  return (each * threads * repeats * 1000) / Math.min(inOrder, byTurns);
}

async function dotPeak(threads, module, name) {
  const calls = 20;
  const ms = await time(threads, module, name, dotRounds / calls, calls);
  return (dotRounds * chains * lanes[name] * threads * 1000) / ms;
}

/** Bytes per second (of 100 MiB, and of the model's own bytes), multiply-accumulates per second. */
async function measure(modelBytes) {
  const found = {};
  for (let threads = 1; threads <= workers.length; threads++) {
    found[`memory.${threads}`] = await bandwidth(threads, largeBytes);
    found[`bandwidth.${threads}`] = await bandwidth(threads, modelBytes);
    found[`simd.dot_i16.${threads}`] = await dotPeak(threads, 'simd', 'dot_i16');
    for (const name of Object.keys(lanes)) {
      found[`relaxed.${name}.${threads}`] = await dotPeak(threads, 'relaxed', name);
    }
  }
  return found;
}

globalThis.ceilings = { start, measure };
