// ONNX Runtime Web on the CPU, driven as transformers.js does: past and present K and V go through
// JavaScript, greedy choice in JavaScript.
const threads = Number(new URLSearchParams(location.search).get('threads'));
const dist = new URL('/peer-modules/onnxruntime-web/dist/', location.href).href;

let ort;
let session;
let layers;
let kvHeads;
let headDim;
const contexts = new Map(); // context length → { ids, token, past } to decode from again

async function load(modelUrl, shape) {
  ({ layers, kvHeads, headDim } = shape);
  const module = await import(`${dist}ort.wasm.min.mjs`);
  ort = module.default ?? module;
  ort.env.wasm.wasmPaths = dist;
  ort.env.wasm.numThreads = threads;
  const bytes = new Uint8Array(await (await fetch(modelUrl)).arrayBuffer());
  const options = { executionProviders: ['wasm'], graphOptimizationLevel: 'all' };
  session = await ort.InferenceSession.create(bytes, options);
  return { threads: ort.env.wasm.numThreads };
}

const int64 = (values) =>
  new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);

function forEachCache(f) {
  const made = {};
  for (let layer = 0; layer < layers; layer++) {
    for (const kind of ['key', 'value']) made[`past_key_values.${layer}.${kind}`] = f(layer, kind);
  }
  return made;
}

const emptyPast = () =>
  forEachCache(() => new ort.Tensor('float32', new Float32Array(0), [1, kvHeads, 0, headDim]));

function argmax(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/** One pass: ids after `length - ids.length` cached ones; { token, past }. */
async function pass(ids, length, past) {
  const mask = new Array(length).fill(1);
  const out = await session.run({ input_ids: int64(ids), attention_mask: int64(mask), ...past });
  const present = forEachCache((layer, kind) => out[`present.${layer}.${kind}`]);
  return { token: argmax(out.logits.data), past: present };
}

async function prefill({ ids }) {
  const started = performance.now();
  await pass(ids, ids.length, emptyPast());
  return { tokens: ids.length, ms: performance.now() - started };
}

async function decode({ ids }, tokens) {
  const key = ids.join();
  if (!contexts.has(key)) contexts.set(key, await pass(ids, ids.length, emptyPast()));
  let { token, past } = contexts.get(key);
  const made = [];
  const started = performance.now();
  for (let i = 1; i <= tokens; i++) {
    made.push(token);
    ({ token, past } = await pass([token], ids.length + i, past));
  }
  return { tokens, ms: performance.now() - started, made };
}

globalThis.peer = { load, prefill, decode };
