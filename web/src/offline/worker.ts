// The page's service worker: keeps one version of the built folder, so that the next visit needs no
// network. Which files, and their hashes, are written into this file by build-scripts/lib/offline.mjs.
// Models are not kept here: the engine's worker keeps them itself (worker/model-store.ts).
import { relaxedSimd } from 'wasm-feature-detect';
import { toHex } from '../worker/block-hashes';
import { type Folder, isKeptUrl, keptPath } from './folder';

/** TypeScript's own declarations of this scope contradict those of a page. */
interface ServiceWorkerScope {
  readonly registration: ServiceWorkerRegistration;
  addEventListener(
    type: string,
    listener: (event: {
      readonly request: Request;
      readonly data: unknown;
      waitUntil(promise: Promise<unknown>): void;
      respondWith(response: Promise<Response>): void;
    }) => void,
  ): void;
  skipWaiting(): Promise<void>;
}

declare const __FOLDER__: Folder;
const folder: Folder = __FOLDER__;
const worker = self as unknown as ServiceWorkerScope;
const { scope } = worker.registration;
/** Other folders of the same origin may have a kvscope too: each clears only its own caches. */
const prefix = `kvscope-page ${scope} `;
const cacheName = prefix + folder.version;

worker.addEventListener('install', (event) => event.waitUntil(keepAll()));
worker.addEventListener('activate', (event) => event.waitUntil(forgetOtherVersions()));
worker.addEventListener('message', ({ data }) => {
  if (data === 'use-this-version') void worker.skipWaiting();
});
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !isKeptUrl(request.url, scope, folder)) return;
  event.respondWith(answer(request));
});

/** All files or none: one that is missing, or of another version, ends the installation. */
async function keepAll(): Promise<void> {
  const builds = (await relaxedSimd()) ? ['relaxed', 'relaxed-threads'] : ['simd'];
  const wanted = Object.keys(folder.files).filter((file) => {
    const build = /^kvscope-(simd|relaxed|relaxed-threads)\.(mjs|wasm)$/.exec(file)?.[1];
    return !build || builds.includes(build);
  });
  const cache = await caches.open(cacheName);
  try {
    await Promise.all(wanted.map((file) => keep(cache, file)));
  } catch (error) {
    await caches.delete(cacheName);
    throw error;
  }
}

async function keep(cache: Cache, file: string): Promise<void> {
  const url = new URL(file, scope).href;
  const response = await fetch(url, { cache: 'no-cache' });
  const bytes = await response.clone().arrayBuffer();
  const hex = toHex(await crypto.subtle.digest('SHA-256', bytes));
  if (!response.ok || response.redirected || hex !== folder.files[file]) {
    throw new Error(`${url} is not the file of this version (HTTP ${response.status}).`);
  }
  await cache.put(url, response);
}

async function forgetOtherVersions(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(prefix) && name !== cacheName) await caches.delete(name);
  }
}

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName);
  return (await cache.match(keptPath(request.url, scope))) ?? fetch(request);
}
