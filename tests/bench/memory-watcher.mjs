// In the engine's worker, before its own script: notes each WebAssembly memory, made or exported.
const memories = new Set();
const { Memory, instantiate, instantiateStreaming } = WebAssembly;

WebAssembly.Memory = class extends Memory {
  constructor(descriptor) {
    super(descriptor);
    memories.add(this);
  }
};

function noteExports(result) {
  const { exports } = result.instance ?? result;
  for (const value of Object.values(exports)) if (value instanceof Memory) memories.add(value);
  return result;
}

WebAssembly.instantiate = async (...args) => noteExports(await instantiate(...args));
WebAssembly.instantiateStreaming = async (...args) =>
  noteExports(await instantiateStreaming(...args));

/** WebAssembly memory only grows: its size now is its peak. */
globalThis.engineMemoryBytes = () =>
  [...memories].reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
