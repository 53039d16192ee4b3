// One thread of the ceilings: an instance of each module with memory of its own.
let instances;
let gate; // shared: how many workers wait, and which meeting it is

const noop = () => 0;
const imports = {
  env: { emscripten_notify_memory_growth: noop },
  wasi_snapshot_preview1: { proc_exit: noop },
};

/** WebAssembly is compiled for speed only after it ran for a while. */
function warmUp(exports) {
  const end = performance.now() + 300;
  while (performance.now() < end) {
    exports.sum_memory(1 << 20);
    exports.sum_four_places(1 << 20);
    for (const name of ['dot_i16', 'relaxed_dot_i16', 'relaxed_dot_i32']) exports[name]?.(20_000);
  }
}

async function prepare({ modules, gate: shared }) {
  gate = shared;
  instances = {};
  for (const [name, module] of Object.entries(modules)) {
    const { exports } = await WebAssembly.instantiate(module, imports);
    exports._initialize?.();
    exports.prepare();
    warmUp(exports);
    instances[name] = exports;
  }
}

/** Returns when all have come, at the same moment. */
function meet(threads) {
  const meeting = Atomics.load(gate, 1);
  if (Atomics.add(gate, 0, 1) + 1 === threads) {
    Atomics.store(gate, 0, 0);
    Atomics.add(gate, 1, 1);
  }
  while (Atomics.load(gate, 1) === meeting);
}

function run({ threads, module, name, argument, repeats }) {
  const call = instances[module][name];
  call(argument); // its memory is mapped, its code is in the cache
  meet(threads);
  const started = performance.now();
  for (let i = 0; i < repeats; i++) call(argument);
  return performance.now() - started;
}

self.onmessage = async ({ data }) => {
  try {
    self.postMessage({ result: 'modules' in data ? await prepare(data) : run(data) });
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
};
