// npm run size: how large each file of dist/ is, and what one line in a blog post downloads.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { variants } from './lib/cmake.mjs';
import { distDir } from './lib/paths.mjs';
import { main, UserError } from './lib/run.mjs';

// A blog reader should not wait for the machinery: script, worker and one wasm build together. The
// build with threads is shown but not held to it: it needs headers that a blog does not send.
const budgetBytes = 120 * 1024;

const brotli = (data) =>
  zlib.brotliCompressSync(data, {
    params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11, [zlib.constants.BROTLI_PARAM_LGWIN]: 22 },
  }).length;

function measure(file) {
  const data = fs.readFileSync(path.join(distDir, file));
  const packs = !file.endsWith('.gguf'); // weights do not compress, and take long to show it
  return {
    file,
    raw: data.length,
    gzip: packs ? zlib.gzipSync(data, { level: 9 }).length : data.length,
    brotli: packs ? brotli(data) : data.length,
  };
}

/** The files that a module imports statically, itself included. */
function withImports(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = fs.readFileSync(path.join(distDir, file), 'utf8');
  for (const [, name] of source.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
    withImports(name, seen);
  }
  return seen;
}

const columns = (row) =>
  [row.raw, row.gzip, row.brotli].map((n) => n.toLocaleString('en').padStart(12)).join('') +
  `  ${row.file}`;

await main(() => {
  if (!fs.existsSync(path.join(distDir, 'kvscope.js')))
    throw new UserError('dist/ is not built. Run: npm run build');
  const files = fs
    .readdirSync(distDir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/\.(map|d\.ts|md)$/.test(entry.name))
    .map((entry) => path.relative(distDir, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
  const sizes = new Map(files.map((file) => [file, measure(file)]));
  console.log(`${['bytes', 'gzip', 'brotli'].map((s) => s.padStart(12)).join('')}  file`);
  for (const row of sizes.values()) console.log(columns(row));

  console.log('\nwhat <kv-scope> downloads (without the model), bytes:');
  let worst = 0;
  for (const variant of Object.keys(variants)) {
    const parts = [
      ...withImports('kvscope.js'),
      ...withImports('kvscope-worker.js'),
      ...[`kvscope-${variant}.mjs`, `kvscope-${variant}.wasm`],
    ].filter((file) => sizes.has(file));
    const sum = { file: `${variant}: ${parts.join(' + ')}`, raw: 0, gzip: 0, brotli: 0 };
    for (const part of parts)
      for (const key of ['raw', 'gzip', 'brotli']) sum[key] += sizes.get(part)[key];
    console.log(columns(sum));
    if (!variant.endsWith('-threads')) worst = Math.max(worst, sum.brotli);
  }
  const text = `${(worst / 1024).toFixed(1)} KB of ${budgetBytes / 1024} KB (brotli)`;
  if (worst > budgetBytes) throw new UserError(`over the budget: ${text}`);
  console.log(`\nwithin the budget: ${text}`);
});
