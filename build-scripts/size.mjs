// npm run size: how large each file of dist/ is, and what one line in a blog post downloads.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { distDir } from './lib/paths.mjs';
import { main, UserError } from './lib/run.mjs';

/** Fetched by every <kv-scope>, whether it is ever seen or not. */
const beforeSeen = () => [...withImports('kvscope.js')];

/** Fetched as soon as a model is asked for, with one of the builds. */
const engine = (variant) => [
  ...withImports('kvscope-worker.js'),
  ...[`kvscope-${variant}.mjs`, `kvscope-${variant}.wasm`],
];

/** KB by brotli, without the model. A blog reader should not wait for the machinery. */
const budgets = [
  { name: 'until <kv-scope> comes into view', limit: 15, files: beforeSeen },
  // The build with threads is held to nothing: it needs headers that a blog does not send.
  ...['simd', 'relaxed'].map((variant) => ({
    name: `<kv-scope> with the build ${variant}`,
    limit: 120,
    files: () => [...new Set([...beforeSeen(), ...withImports(apiFile), ...engine(variant)])],
  })),
  {
    name: 'the API alone with the build simd',
    limit: 80,
    files: () => [...withImports('kvscope-api.js'), ...engine('simd')],
  },
];

/** The API's own code, fetched with the first model. */
const apiFile = 'kvscope-load-model.js';

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

function sizesOfDist() {
  if (!fs.existsSync(path.join(distDir, 'kvscope.js')))
    throw new UserError('dist/ is not built. Run: npm run build');
  const files = fs
    .readdirSync(distDir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/\.(map|d\.ts|md)$/.test(entry.name))
    .map((entry) => path.relative(distDir, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
  return new Map(files.map((file) => [file, measure(file)]));
}

/** Prints all sizes; returns the budgets that do not hold, a line each. */
export function checkSizes() {
  const sizes = sizesOfDist();
  console.log(`${['bytes', 'gzip', 'brotli'].map((s) => s.padStart(12)).join('')}  file`);
  for (const row of sizes.values()) console.log(columns(row));
  console.log('\nbudgets, brotli:');
  const broken = [];
  for (const { name, limit, files } of budgets) {
    const parts = files();
    const missing = parts.filter((file) => !sizes.has(file));
    const kb = parts.reduce((sum, file) => sum + (sizes.get(file)?.brotli ?? 0), 0) / 1024;
    const line = `${kb.toFixed(1)} of ${limit} KB ${name}: ${parts.join(' + ')}`;
    console.log(`${line}${missing.length > 0 ? ` (not built: ${missing.join(', ')})` : ''}`);
    if (kb > limit || missing.length > 0) broken.push(line);
  }
  return { checked: budgets.length, broken };
}

if (import.meta.filename === process.argv[1]) {
  await main(() => {
    const { broken } = checkSizes();
    if (broken.length > 0) throw new UserError(`over the budget: ${broken.join('; ')}`);
  });
}
