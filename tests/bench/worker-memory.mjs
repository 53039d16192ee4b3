// Starts the engine's worker through a module that remembers every WebAssembly memory made in it.

/** Call it before loadModel(). The worker's own global then has `engineMemoryBytes()`. */
export function watchEngineMemory() {
  const Original = globalThis.Worker;
  const watcher = new URL('./memory-watcher.mjs', import.meta.url).href;
  globalThis.Worker = class extends Original {
    constructor(url, options) {
      // Static imports: the worker's messages wait until both modules have run.
      const source = `import ${JSON.stringify(watcher)}; import ${JSON.stringify(String(url))};`;
      const blob = new Blob([source], { type: 'text/javascript' });
      super(URL.createObjectURL(blob), options);
    }
  };
}
