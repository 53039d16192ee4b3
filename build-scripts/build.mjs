// npm run build [-- --debug] [--only simd,relaxed,relaxed-threads]: leaves a self-contained static
// folder dist/. Only what changed is made again.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildWasm, variants, wasmBuildDir } from './lib/cmake.mjs';
import { writeIntegrity } from './lib/integrity.mjs';
import { writeOfflineWorker } from './lib/offline.mjs';
import { distDir } from './lib/paths.mjs';
import { main, seconds, UserError } from './lib/run.mjs';
import { toolchainEnv } from './lib/toolchain.mjs';
import { buildWeb, offlineBundle } from './lib/web.mjs';
import { needs, setUp } from './setup.mjs';

/** Copies a file when it differs from the one that is there. */
function copyIfNewer(from, to) {
  const [a, b] = [fs.statSync(from), fs.statSync(to, { throwIfNoEntry: false })];
  if (b && a.size === b.size && a.mtimeMs <= b.mtimeMs) return;
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.copyFileSync(from, to);
}

/**
 * The glue starts thread workers from itself, by its file name; a bundler calls it otherwise. Its own
 * address is always right.
 */
function copyGlue(from, to) {
  const ownName = /new URL\(['"]kvscope-relaxed-threads\.mjs['"],\s*import\.meta\.url\)/;
  const glue = fs.readFileSync(from, 'utf8').replace(ownName, 'import.meta.url');
  if (!fs.existsSync(to) || fs.readFileSync(to, 'utf8') !== glue) fs.writeFileSync(to, glue);
}

async function buildVariant(variant, options) {
  const started = performance.now();
  await buildWasm(variant, ['kvscope'], options);
  const dir = wasmBuildDir(variant, options.debug);
  for (const file of fs.readdirSync(dir)) {
    const [from, to] = [path.join(dir, file), path.join(distDir, file)];
    if (/^kvscope-.*\.mjs$/.test(file)) copyGlue(from, to);
    else if (/^kvscope-.*\.wasm(\.map)?$/.test(file)) copyIfNewer(from, to);
  }
  return `${variant} ${seconds(performance.now() - started)}`;
}

/** Builds dist/; resolves to the milliseconds it took. */
export async function build({ debug = false, only = Object.keys(variants) } = {}) {
  const started = performance.now();
  const unknown = only.find((name) => !variants[name]);
  if (unknown) {
    throw new UserError(`no variant '${unknown}'. There are: ${Object.keys(variants).join(', ')}`);
  }
  fs.mkdirSync(distDir, { recursive: true });
  const env = await toolchainEnv();
  // All variants at once, and the bundle beside them: linking uses one core each.
  const jobs = Math.max(1, Math.ceil(os.cpus().length / only.length));
  const times = await Promise.all([
    ...only.map((variant) => buildVariant(variant, { env, debug, jobs })),
    buildWeb({ debug }).then((ms) => `web ${seconds(ms)}`),
  ]);
  writeOfflineWorker(offlineBundle);
  writeIntegrity();
  const took = performance.now() - started;
  console.log(`build: ${seconds(took)} (${times.join(', ')})${debug ? ', debug' : ''}`);
  return took;
}

if (import.meta.filename === process.argv[1]) {
  const args = process.argv.slice(2);
  const index = args.indexOf('--only');
  const only = index >= 0 ? args[index + 1]?.split(',') : undefined;
  await main(async () => {
    await setUp(needs.build);
    await build({ debug: args.includes('--debug'), only });
  });
}
