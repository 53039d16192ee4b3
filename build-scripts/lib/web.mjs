// The JavaScript half of dist/: Vite's bundles, type declarations, HTML, static files, the model.
import fs from 'node:fs';
import path from 'node:path';
import { at, distDir } from './paths.mjs';
import { run } from './run.mjs';

const stampFile = at('build', '.web-inputs');
/** The service worker before it knows the files of dist/. */
export const offlineBundle = at('build', 'offline-worker.js');

/** Name, size and time of every file that the bundle is made from. */
function inputs(debug) {
  const lines = [`debug ${debug}`];
  const add = (file) => {
    const { size, mtimeMs } = fs.statSync(file);
    lines.push(`${path.relative(at(), file)} ${size} ${mtimeMs}`);
  };
  for (const name of ['vite.config.ts', 'tsconfig.json', 'package-lock.json']) add(at(name));
  for (const entry of fs.readdirSync(at('web'), { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) add(path.join(entry.parentPath ?? entry.path, entry.name));
  }
  return lines.sort().join('\n');
}

/** Copies HTML, web/public/** and web/models/*.gguf (with their cards) as they are. */
function copyStatic() {
  for (const name of fs.readdirSync(at('web'))) {
    if (name.endsWith('.html')) fs.copyFileSync(at('web', name), path.join(distDir, name));
  }
  if (fs.existsSync(at('web/public'))) fs.cpSync(at('web/public'), distDir, { recursive: true });
  if (fs.existsSync(at('web/models'))) {
    fs.cpSync(at('web/models'), path.join(distDir, 'models'), {
      recursive: true,
      filter: (file) => fs.statSync(file).isDirectory() || /\.(gguf|md)$/.test(file),
    });
  }
}

/** dist/types/** for what the package's two entries reach, and dist/kvscope.d.ts that points into it. */
async function declarations() {
  const out = path.join(distDir, 'types');
  fs.rmSync(out, { recursive: true, force: true });
  const config = at('build', 'tsconfig.types.json');
  const compilerOptions = {
    ...{ noEmit: false, noCheck: true, declaration: true, emitDeclarationOnly: true },
    ...{ rootDir: at('web/src'), outDir: out },
  };
  const files = [at('web/src/kvscope.ts')];
  fs.mkdirSync(path.dirname(config), { recursive: true });
  fs.writeFileSync(
    config,
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions, files, include: [] }),
  );
  await run(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', config]);
  nameFiles(out);
  fs.writeFileSync(path.join(distDir, 'kvscope.d.ts'), "export * from './types/kvscope.js';\n");
}

/** Node's own resolution wants './errors.js' where the bundler is content with './errors'. */
function nameFiles(dir) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    const text = fs.readFileSync(file, 'utf8');
    const named = text.replace(/(from |import\()(['"])(\.[^'"]*)\2/g, '$1$2$3.js$2');
    fs.writeFileSync(file, named);
  }
}

/** dist/custom-elements.json: what editors complete and documentation tools read. */
async function elementManifest() {
  const analyzer = at('node_modules/@custom-elements-manifest/analyzer/cem.js');
  const args = [
    'analyze',
    '--litelement',
    '--globs',
    'web/src/element/kv-scope.ts',
    '--outdir',
    'dist',
  ];
  await run(process.execPath, [analyzer, ...args, '--quiet'], { cwd: at() });
  // What the analyzer guesses from the code besides: inner members, events without a line of their own.
  const file = path.join(distDir, 'custom-elements.json');
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8'));
  for (const declaration of manifest.modules.flatMap(({ declarations }) => declarations)) {
    declaration.members &&= declaration.members.filter(({ privacy }) => privacy !== 'private');
    declaration.events &&= declaration.events.filter(({ description }) => description);
  }
  fs.writeFileSync(file, `${JSON.stringify(manifest, null, 1)}\n`);
}

/** Builds the web half of dist/ when one of its inputs changed; resolves to the milliseconds. */
export async function buildWeb({ debug }) {
  const started = performance.now();
  if (!fs.existsSync(at('web/src/kvscope.ts'))) return 0; // nothing written yet
  const wanted = inputs(debug);
  const isDone = fs.existsSync(stampFile) && fs.readFileSync(stampFile, 'utf8') === wanted;
  if (isDone && fs.existsSync(path.join(distDir, 'kvscope.js'))) return performance.now() - started;
  fs.rmSync(stampFile, { force: true });
  for (const file of fs.readdirSync(distDir)) {
    if (/\.(js|css|html|js\.map|d\.ts)$/.test(file)) fs.rmSync(path.join(distDir, file));
  }
  process.env.KVSCOPE_DEBUG = debug ? '1' : '0';
  const vite = await import('vite');
  copyStatic();
  await Promise.all([
    ...['kvscope', 'page', 'kvscope-worker', 'kvscope-api', 'offline-worker', 'node'].map((mode) =>
      vite.build({ configFile: at('vite.config.ts'), mode }),
    ),
    declarations(),
    elementManifest(),
  ]);
  fs.mkdirSync(path.dirname(stampFile), { recursive: true });
  fs.renameSync(path.join(distDir, 'offline-worker.js'), offlineBundle);
  fs.writeFileSync(stampFile, wanted);
  return performance.now() - started;
}
