// What a browser's worker has and a thread of Node lacks, then the engine's worker itself.
import fs from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

const port = parentPort!;
const { worker } = workerData as { worker: string };
const fetchFromNetwork = globalThis.fetch;

/** Files answer as a server would. */
async function fetchFile(url: URL): Promise<Response> {
  const path = fileURLToPath(url);
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return new Response(null, { status: 404, statusText: 'Not Found' });
  const headers = {
    'content-length': String(stat.size),
    'content-type': path.endsWith('.wasm') ? 'application/wasm' : 'application/octet-stream',
  };
  const body = Readable.toWeb(fs.createReadStream(path, { highWaterMark: 1 << 20 }));
  return new Response(body as ReadableStream, { headers });
}

Object.assign(globalThis, {
  self: globalThis,
  location: new URL(worker),
  postMessage: (data: unknown, options?: { transfer?: [] }) =>
    port.postMessage(data, options?.transfer),
  addEventListener: (type: string, listener: (event: MessageEvent) => void) => {
    if (type === 'message')
      port.on('message', (data) => listener(new MessageEvent('message', { data })));
  },
  fetch: (source: string | URL | Request, options?: RequestInit) => {
    const url = new URL(source instanceof Request ? source.url : source, worker);
    return url.protocol === 'file:' ? fetchFile(url) : fetchFromNetwork(source, options);
  },
});

await import(/* @vite-ignore */ worker);
