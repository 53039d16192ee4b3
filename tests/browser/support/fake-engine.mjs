// Stands in for the WebAssembly module where a test needs an engine that fails, or that takes a known
// time: no real model can be made to trap, or to be slow, on demand. Served in place of the real glue
// by useFakeEngine (fake-engine.ts). It computes nothing; no test of results uses it.
//   a prompt with "CRASH" traps in prefill     "STEP_CRASH" traps in the third step
//   "SLOW" takes 20 ms a step and 20 ms per 8 prompt tokens      any other: microseconds
const LAYERS = 6;
const KV_HEADS = 2;
const HEAD_DIM = 32;
const LAYER_BYTES = 2 * KV_HEADS * HEAD_DIM * 2; // K and V of a token, in f16
const WORDS = [' 파랗다', '.', ' 바다', '는', ' 넓다', '.', ' sky', ' is', ' blue', '.'];

const NO_COUNTS = {
  ...{ tokens: 0, ms: 0, macs: 0 },
  ...{ weightBytesRead: 0, kvBytesRead: 0, kvBytesWritten: 0 },
};

const failure = (code, message) => Object.assign(new Error(message), { code });
const encoder = new TextEncoder();

function busyWait(ms) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

class ModelLoader {
  loaded = 0;
  push(chunk) {
    if (this.loaded === 0 && new TextDecoder().decode(chunk.slice(0, 4)) !== 'GGUF') {
      return failure('not-gguf', 'The first bytes are not "GGUF".');
    }
    this.loaded += chunk.length;
    return { loaded: this.loaded, total: this.loaded };
  }
  finish() {
    return new EngineModel(this.loaded);
  }
  delete() {}
}

class EngineModel {
  pieces = [' '];
  constructor(bytes) {
    this.bytes = bytes;
  }
  info() {
    return {
      ...{
        name: 'fake',
        architecture: 'fake',
        quantization: 'F32',
        parameters: 1,
        bytes: this.bytes,
      },
      ...{ layers: LAYERS, heads: 6, kvHeads: KV_HEADS, headDim: HEAD_DIM, dim: 192, ffnDim: 512 },
      ...{ vocabSize: 1000, contextLength: 2048, weightBytes: this.bytes, description: '' },
      ...{ headLayer: -1, headIndex: -1, threads: 1 },
    };
  }
  idOf(piece) {
    const known = this.pieces.indexOf(piece);
    return known >= 0 ? known : this.pieces.push(piece) - 1;
  }
  tokenize(text) {
    return Int32Array.from(text.match(/\s*\S+|\s+/g) ?? [], (piece) => this.idOf(piece));
  }
  piece(id) {
    const text = this.pieces[id];
    return { text, bytes: encoder.encode(text), special: false, endOfGeneration: false };
  }
  detokenize(ids) {
    return Array.from(ids, (id) => this.pieces[id]).join('');
  }
  chatTemplate() {
    return { template: '', bosToken: '', eosToken: '' };
  }
  createSession(capacity, type) {
    return new EngineSession(this, capacity, type);
  }
  delete() {}
}

class EngineSession {
  ids = [];
  cached = 0;
  counts = { input: { ...NO_COUNTS }, output: { ...NO_COUNTS } };
  constructor(model, capacity, type) {
    Object.assign(this, { model, capacity, type });
  }
  get text() {
    return this.model.detokenize(this.ids);
  }
  kvLayout() {
    const perLayer = { kBytesPerToken: LAYER_BYTES / 2, vBytesPerToken: LAYER_BYTES / 2 };
    return {
      ...{ capacity: this.capacity, type: this.type, bytesPerToken: LAYERS * LAYER_BYTES },
      ...{ layers: LAYERS, heads: KV_HEADS, ...perLayer },
    };
  }
  state() {
    const bytes = this.cached * LAYERS * LAYER_BYTES;
    const stats = { ...structuredClone(this.counts), qBytesDiscarded: 768 * this.cached };
    return { kv: { tokens: this.cached, bytes, reservedBytes: bytes }, stats };
  }
  prefillBegin(ids, append) {
    if (append) this.ids.push(...ids);
    else {
      this.ids = [...ids];
      this.cached = 0;
    }
    return { tokens: this.ids.length, reused: this.cached };
  }
  prefillStep(maxTokens) {
    if (/(^|[^_])CRASH/.test(this.text)) throw new WebAssembly.RuntimeError('unreachable');
    const slow = this.text.includes('SLOW');
    if (slow) busyWait(20);
    this.cached = Math.min(this.ids.length, this.cached + (slow ? 8 : maxTokens));
    const done = this.cached;
    return { done, total: this.ids.length, finished: done === this.ids.length };
  }
  prefillResult() {
    this.counts.input.tokens += this.cached;
    const cost = { ms: 1, macs: 1, weightBytesRead: 0, kvBytesRead: 0, qBytes: 0 };
    return { tokens: this.ids.length, reused: 0, ...cost, candidates: new Float64Array() };
  }
  prefillAbort() {
    this.ids.length = this.cached;
  }
  generateBegin(options) {
    this.options = options;
    this.index = 0;
  }
  generateSteps(maxSteps, budgetMs) {
    const deadline = performance.now() + budgetMs;
    const steps = [];
    do steps.push(this.step());
    while (!steps.at(-1).finish && steps.length < maxSteps && performance.now() < deadline);
    return {
      count: steps.length,
      numbers: Float64Array.from(steps.flatMap((step) => step.numbers)),
      text: steps.map((step) => step.text).join(''),
    };
  }
  step() {
    const { index } = this;
    if (index === 2 && this.text.includes('STEP_CRASH')) {
      throw new WebAssembly.RuntimeError('unreachable');
    }
    const slow = this.text.includes('SLOW');
    if (slow) busyWait(20);
    this.cached = this.ids.length;
    const text = WORDS[index % WORDS.length];
    const id = this.model.idOf(text);
    const position = this.ids.push(id) - 1;
    this.index++;
    this.counts.output.tokens++;
    const finish = this.index >= this.options.maxTokens ? 2 : 0;
    const cost = [slow ? 20 : 0.01, index > 0 ? 1 : 0, 0, 0, 0, 0];
    const { tokens, bytes, reservedBytes } = this.state().kv;
    // The order of STEP in web/src/worker/engine.ts, then one candidate.
    const numbers = [id, index, position, ...cost, 0.5, finish, tokens, bytes, reservedBytes];
    return { text, finish, numbers: [...numbers, text.length, id, 0.5] };
  }
  generateRewind(steps) {
    const dropped = Math.max(0, this.index - steps);
    this.ids.length -= dropped;
    this.cached = Math.min(this.cached, this.ids.length - 1);
    this.counts.output.tokens -= dropped;
    this.index -= dropped;
  }
  generateEnd() {
    return '';
  }
  tokens() {
    return Int32Array.from(this.ids);
  }
  logits() {
    return new Float32Array(1000);
  }
  inspect() {
    return { position: this.cached - 1 };
  }
  truncate(n) {
    this.ids.length = n;
    this.cached = Math.min(this.cached, n);
  }
  save() {
    return new Uint8Array(4);
  }
  restore() {}
  delete() {}
}

export default async () => ({ ModelLoader, heapBytes: () => 1 << 20 });
