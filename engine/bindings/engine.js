// The JavaScript half of the bindings, which Emscripten takes into its glue (--post-js): the classes
// that web/src/worker/engine.ts declares, over the one entry of bindings.cpp. Embind would do the same
// in 12 KB more to download. In quotes are the names that the closure compiler must not shorten.

let current; // the engine's Call, which holds arguments and answers

class ModelLoader {
  constructor(precision, threads) {
    this.pointer = call(0, 0, [precision === 'high', threads])[0][0];
  }
}

class EngineModel {
  constructor(pointer) {
    this.pointer = pointer;
  }
}

class EngineSession {
  constructor(pointer) {
    this.pointer = pointer;
  }
}

/** { name: value } for space-separated names. */
const named = (names, values) =>
  Object.fromEntries(names.split(' ').map((name, i) => [name, values[i]]));

const phase = (values) =>
  named('tokens ms macs weightBytesRead kvBytesRead kvBytesWritten', values);

const projection = (shape, values) => named('rows cols firstRow values', [...shape, values]);

const BOS = ['auto', 'always', 'never'];

/**
 * class, method, its arguments as [up to three numbers, ...other inputs], its value from the answers.
 * The order is that of bindings.cpp, whose first operation makes a loader.
 */
const OPERATIONS = [
  [ModelLoader, 'push', (chunk) => [[], chunk], ([n]) => named('loaded total', n)],
  [ModelLoader, 'finish', () => [], ([[pointer]]) => new EngineModel(pointer)],
  [ModelLoader, 'delete'],
  [
    EngineModel,
    'info',
    () => [],
    ([n, ...texts]) => ({
      ...named(
        'parameters bytes weightBytes layers heads kvHeads headDim dim ffnDim vocabSize contextLength headLayer headIndex threads',
        n,
      ),
      ...named('name description architecture quantization', texts),
    }),
  ],
  [EngineModel, 'tokenize', (text, special, bos) => [[special, BOS.indexOf(bos)], text]],
  [
    EngineModel,
    'piece',
    (id) => [[id]],
    ([[special, ends], text, bytes]) =>
      named('text bytes special endOfGeneration', [text, bytes, !!special, !!ends]),
  ],
  [EngineModel, 'detokenize', (ids) => [[], Int32Array.from(ids)]],
  [EngineModel, 'chatTemplate', () => [], (texts) => named('template bosToken eosToken', texts)],
  [
    EngineModel,
    'createSession',
    (length, type, cache) => [[length, cache], type],
    ([[pointer]]) => new EngineSession(pointer),
  ],
  [EngineModel, 'delete'],
  [
    EngineSession,
    'prefillBegin',
    (ids, append) => [[append], Int32Array.from(ids)],
    ([n]) => named('tokens reused', n),
  ],
  [
    EngineSession,
    'prefillStep',
    (max) => [[max]],
    ([[done, total, finished]]) => named('done total finished', [done, total, !!finished]),
  ],
  [
    EngineSession,
    'prefillResult',
    () => [],
    ([n, candidates]) =>
      named('tokens reused ms macs weightBytesRead kvBytesRead qBytes candidates', [
        ...n,
        candidates,
      ]),
  ],
  [EngineSession, 'prefillAbort'],
  [
    EngineSession,
    'generateBegin',
    (options) => [
      [],
      Float64Array.from(
        'maxTokens temperature topK topP minP repeatPenalty seed ignoreEos'.split(' '),
        (name) => options[name],
      ),
      ...options['stop'],
    ],
  ],
  [
    EngineSession,
    'generateSteps',
    (max, budget) => [[max, budget]],
    ([[count], numbers, text]) => named('count numbers text', [count, numbers, text]),
  ],
  [EngineSession, 'generateRewind', (steps) => [[steps]]],
  [EngineSession, 'generateEnd'],
  [EngineSession, 'tokens'],
  [
    EngineSession,
    'kvLayout',
    () => [],
    ([[capacity, bytes, layers, heads], type]) => {
      const half = bytes / 2 / layers; // K and V take the same
      return named('capacity type bytesPerToken layers heads kBytesPerToken vBytesPerToken', [
        capacity,
        type,
        bytes,
        layers,
        heads,
        half,
        half,
      ]);
    },
  ],
  [
    EngineSession,
    'state',
    () => [],
    ([n, input, output]) =>
      named('kv stats', [
        named('tokens bytes reservedBytes', n),
        named('input output qBytesDiscarded', [phase(input), phase(output), n[3]]),
      ]),
  ],
  [
    EngineSession,
    'inspect',
    (layer, head, position) => [[layer, head, position]],
    ([n, x, q, qRotated, k, v, kProjected, vProjected, scores, weights, mixed, ...rows]) =>
      named(
        'layer head kvHead position x q qRotated k v kProjected vProjected scores weights mixed wq wk wv',
        [
          ...n,
          ...[x, q, qRotated, k, v, kProjected, vProjected, scores, weights, mixed],
          ...[0, 2, 4].map((i) => projection(rows[i], rows[i + 1])),
        ],
      ),
  ],
  [EngineSession, 'logits'],
  [EngineSession, 'score', (ids) => [[], Int32Array.from(ids)]],
  [EngineSession, 'truncate', (n) => [[n]]],
  [EngineSession, 'save'],
  [EngineSession, 'restore', (bytes) => [[], bytes]],
  [EngineSession, 'delete'],
];

OPERATIONS.forEach(([type, name, inputs = () => [], value = ([first]) => first], i) => {
  type.prototype[name] = function (...args) {
    const answers = call(i + 1, this.pointer, ...inputs(...args));
    return answers instanceof Error ? answers : value(answers);
  };
});

/** The memory's buffer is another one whenever the memory has grown. */
const bytesAt = (at, length) => new Uint8Array(wasmMemory.buffer, at, length);

function call(operation, object, numbers = [], ...inputs) {
  current ||= _kv_new_call();
  for (const input of inputs) {
    const bytes = ArrayBuffer.isView(input)
      ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
      : new TextEncoder().encode(input);
    const at = _kv_input(current, bytes.length) >>> 0; // memory above 2 GB
    bytesAt(at, bytes.length).set(bytes);
  }
  const [a, b, c] = numbers;
  const answers = read(_kv_call(current, operation, object, a, b, c) >>> 0);
  _kv_done(current);
  return answers;
}

/** Copies of the answers, or an Error with a code: AnswerType in call.hpp says what they are. */
function read(at) {
  for (const answers = []; ; at += 12) {
    const [data, count, type] = new Uint32Array(wasmMemory.buffer, at, 3);
    if (type === 6) return answers;
    if (type < 4) {
      const Type = [Float64Array, Float32Array, Int32Array, Uint8Array][type];
      const values = new Type(wasmMemory.buffer, data, count).slice();
      answers.push(type === 1 && count === 0 ? null : values);
    } else {
      // A copy: no decoder takes shared memory.
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
        bytesAt(data, count).slice(),
      );
      if (type === 5) {
        const error = new Error(text);
        error['code'] = answers[0];
        return error;
      }
      answers.push(text);
    }
  }
}

Module['ModelLoader'] = ModelLoader;
Module['heapBytes'] = () => wasmMemory.buffer.byteLength;
