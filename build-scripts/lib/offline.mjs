// Tells the service worker which files the built folder has: written last, when all are there.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { distDir } from './paths.mjs';

const WORKER = 'offline-worker.js';
/** What a page needs to run: scripts, styles, WebAssembly; models are kept by the engine's worker. */
const KEPT = /^[^/]+\.(html|css|js|mjs|wasm|svg)$/;
const PLACEHOLDER = '__FOLDER__';

const sha256 = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');

/** Writes offline-worker.js into the built folder, from the bundle that Vite left in build/. */
export function writeOfflineWorker(bundle, dir = distDir) {
  const names = fs.readdirSync(dir).filter((name) => KEPT.test(name) && name !== WORKER);
  const files = Object.fromEntries(
    names.sort().map((name) => [name, sha256(fs.readFileSync(path.join(dir, name)))]),
  );
  const version = sha256(JSON.stringify(files)).slice(0, 16);
  const source = fs.readFileSync(bundle, 'utf8');
  if (source.split(PLACEHOLDER).length !== 2) {
    throw new Error(`${bundle} has ${PLACEHOLDER} ${source.split(PLACEHOLDER).length - 1} times`);
  }
  fs.writeFileSync(
    path.join(dir, WORKER),
    source.replace(PLACEHOLDER, () => JSON.stringify({ version, files })),
  );
}
