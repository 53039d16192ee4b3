import type { FileUrls } from '../worker/protocol';
import { KvScopeError } from './errors';
import { workerFile, workersFiles } from './files';
import { pageUrl } from './page-url';

let start: (url: URL) => Worker = startInBrowser;
let ownWorker = workerFile;
let ownFiles: () => FileUrls | undefined = workersFiles;

/** For places that have no Worker of their own (node/api.ts). */
export function useWorkers(starter: (url: URL) => Worker, url: URL): void {
  start = starter;
  ownWorker = () => url;
  ownFiles = () => undefined;
}

/** Throws 'worker-failed' where the page's policy forbids it at once; elsewhere an event tells. */
export const startWorker = (url: URL): Worker => start(url);

/** The worker's files, where they may lie elsewhere than beside it: `workerSrc` brings its own along. */
export const filesFor = (workerSrc?: string | URL): FileUrls | undefined =>
  workerSrc === undefined ? ownFiles() : undefined;

/** Where the engine's worker comes from: `workerSrc`, or beside this script. */
export function workerUrl(workerSrc?: string | URL): URL {
  if (workerSrc === undefined) return ownWorker();
  return pageUrl(workerSrc, (url) => `workerSrc is "${url}", which is not a URL.`);
}

/** In a sandboxed frame the page's own files are of another origin too. */
const isOtherOrigin = (url: URL): boolean => url.origin !== globalThis.origin;

function startInBrowser(url: URL): Worker {
  const options = { type: 'module', name: 'kvscope' } as const;
  if (!isOtherOrigin(url)) return new Worker(url, options);
  // A worker of another origin is refused; one of this origin may import a module from anywhere.
  const script = new Blob([bootstrap(url)], { type: 'text/javascript' });
  const address = URL.createObjectURL(script);
  try {
    // Not a module: Chromium starts no blob: module in a sandboxed frame.
    const worker = new Worker(address, { name: options.name });
    const revoke = () => URL.revokeObjectURL(address);
    worker.addEventListener('message', revoke, { once: true });
    return worker;
  } catch (error) {
    throw new KvScopeError('worker-failed', workerFailure(url, (error as Error).message));
  }
}

/** Keeps the messages that come before the module is there. */
const bootstrap = (url: URL) => `const early = [];
const keep = (event) => early.push(event.data);
addEventListener('message', keep);
import(${JSON.stringify(url.href)}).then(
  () => {
    removeEventListener('message', keep);
    for (const data of early) dispatchEvent(new MessageEvent('message', { data }));
  },
  (error) => setTimeout(() => { throw error; }),
);`;

export function workerFailure(url: URL, reason: string): string {
  const detail = reason ? ` (${reason})` : '';
  const advice = isOtherOrigin(url)
    ? `It is of another origin than the page. Allow worker-src blob: and script-src ${url.origin}, or copy the folder to the page's own origin and name its worker: worker-src="/…/kvscope-worker.js" on <kv-scope>, workerSrc in loadModel.`
    : `Is the file there, and does the page's policy allow worker-src 'self' and script-src 'wasm-unsafe-eval'?`;
  return `The worker ${url} did not start${detail}. ${advice}`;
}
