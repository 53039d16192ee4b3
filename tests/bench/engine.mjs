// Runs kvscope through its public API, as any page would, and takes the times.
// Driven from outside: build-scripts/bench/engine.mjs calls the functions of globalThis.bench.
import { makePrompt, singleTokenWords } from './prompts.mjs';
import { watchEngineMemory } from './worker-memory.mjs';

// Beside the page's folder: the script that is measured must come from dist/ unchanged.
const { loadModel } = await import('../kvscope.js');

let model;
let words;
let sessionOptions;
let prefillSession;
const decodeSessions = new Map();

/** Milliseconds from the call to a usable model; what the engine says about it. */
async function load(url, options, session = {}) {
  const started = performance.now();
  model = await loadModel(new URL(url, location.href), { ...options, cache: false });
  sessionOptions = session;
  return { ms: performance.now() - started, info: model.info };
}

/** The same bytes, read and dropped: what loading cannot be faster than. */
async function readOnly(url) {
  const worker = new Worker(new URL('./read-worker.mjs', import.meta.url), { type: 'module' });
  const answer = () =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
  worker.postMessage('ready?');
  await answer();
  worker.postMessage(new URL(url, location.href).href);
  const ms = await answer();
  worker.terminate();
  return ms;
}

/** { ids, text }: a text of exactly so many tokens; another seed gives another text. */
async function prompt(tokens, seed) {
  words ??= await singleTokenWords(model);
  return makePrompt(model, words, tokens, seed);
}

/** A session for prompts of up to so many tokens. */
async function openPrefill(longest) {
  prefillSession = await model.createSession({ ...sessionOptions, contextLength: longest + 1 });
}

async function prefill(ids) {
  await prefillSession.truncate(0);
  const started = performance.now();
  const { tokens, reused, ms, macs } = await prefillSession.prefill(ids);
  const wallMs = performance.now() - started;
  if (reused !== 0 || tokens !== ids.length)
    throw new Error(
      `${tokens} tokens, ${reused} of them reused, instead of ${ids.length} new ones`,
    );
  return { tokens, ms, wallMs, macs };
}

/** A session that holds a context, for any number of decode runs from there. */
async function openDecode(ids, decodeTokens) {
  const contextLength = ids.length + decodeTokens + 1;
  const session = await model.createSession({ ...sessionOptions, contextLength });
  await session.prefill(ids);
  decodeSessions.set(ids.length, { session, lastId: ids.at(-1) });
}

/**
 * `tokens` decode steps after a context. The very first token is chosen from logits that are there
 * already, so one more is made; the page's clock runs from the call on, so it counts that choice.
 */
async function decode(context, tokens, options = {}) {
  const { session, lastId } = decodeSessions.get(context);
  await session.truncate(context - 1);
  await session.append([lastId]);
  const sum = { tokens: 0, ms: 0, wallMs: 0, macs: 0, weightBytesRead: 0, kvBytesRead: 0 };
  const started = performance.now();
  for await (const step of session.generate({
    ...options,
    maxTokens: tokens + 1,
    ignoreEos: true,
  })) {
    if (step.index === 0) continue;
    sum.tokens++;
    for (const key of ['ms', 'macs', 'weightBytesRead', 'kvBytesRead']) sum[key] += step[key];
  }
  sum.wallMs = performance.now() - started;
  if (sum.tokens !== tokens) throw new Error(`${sum.tokens} steps instead of ${tokens}`);
  return sum;
}

globalThis.bench = {
  ...{ load, readOnly, prompt, openPrefill, prefill, openDecode, decode },
  watchEngineMemory,
};
