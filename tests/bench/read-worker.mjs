// Reads a file as the engine's worker does, and drops the bytes.
self.onmessage = async ({ data }) => {
  if (data === 'ready?') return self.postMessage(true);
  const started = performance.now();
  const reader = (await fetch(data)).body.getReader();
  while (!(await reader.read()).done);
  self.postMessage(performance.now() - started);
};
