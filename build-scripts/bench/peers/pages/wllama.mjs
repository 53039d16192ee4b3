// wllama (llama.cpp in WebAssembly) on the CPU: package wllama-2 or wllama-3, as the query says.
const query = new URLSearchParams(location.search);
const version = query.get('version');
const threads = Number(query.get('threads'));
const contextLength = Number(query.get('context'));
const esm = new URL(`/peer-modules/wllama-${version}/esm/`, location.href).href;
const silent = { debug() {}, log() {}, warn() {}, error: console.error };

let engine;

async function load(modelUrl) {
  const { Wllama } = await import(`${esm}index.min.js`);
  const paths =
    version === '2'
      ? {
          'single-thread/wllama.wasm': `${esm}single-thread/wllama.wasm`,
          'multi-thread/wllama.wasm': `${esm}multi-thread/wllama.wasm`,
        }
      : { default: `${esm}wasm/wllama.wasm` };
  engine = new Wllama(paths, { logger: silent });
  const blob = await (await fetch(modelUrl)).blob();
  const options = { n_threads: threads, n_ctx: contextLength, n_batch: contextLength };
  if (version === '3') Object.assign(options, { n_gpu_layers: 0, n_parallel: 1, seed: 1 });
  await engine.loadModel([blob], options);
  return { threads: engine.getNumThreads() };
}

/** One completion: { promptTokens, promptMs, times }, times being those of each token. */
async function complete(text, tokens) {
  const times = [];
  const started = performance.now();
  if (version === '2') {
    await engine.kvClear();
    const promptTokens = (await engine.tokenize(text)).length;
    const begun = performance.now();
    await engine.createCompletion(text, {
      nPredict: tokens,
      useCache: false,
      sampling: { temp: 0 },
      onNewToken: () => times.push(performance.now()),
    });
    return { promptTokens, promptMs: times[0] - begun, times };
  }
  let timings;
  await engine.createCompletion({
    prompt: text,
    max_tokens: tokens,
    temperature: 0,
    ignore_eos: true,
    cache_prompt: false,
    stream: true,
    onData(chunk) {
      timings = chunk.timings ?? timings;
      if (chunk.choices?.[0]?.finish_reason == null) times.push(performance.now());
    },
  });
  const promptMs = timings?.prompt_ms ?? times[0] - started;
  return { promptTokens: timings?.prompt_n, promptMs, times };
}

async function prefill({ ids, text }) {
  const { promptTokens, promptMs } = await complete(text, 1);
  if (promptTokens !== undefined && promptTokens !== ids.length)
    throw new Error(`wllama read ${promptTokens} tokens instead of ${ids.length}`);
  return { tokens: ids.length, ms: promptMs };
}

async function decode({ text }, tokens) {
  const { times } = await complete(text, tokens + 1);
  const made = times.length - 1;
  if (made < tokens / 2) throw new Error(`wllama ended after ${made} of ${tokens} tokens`);
  return { tokens: made, ms: times.at(-1) - times[0] };
}

globalThis.peer = { load, prefill, decode };
