// Four ways from `import 'kvscope'` to a folder that a server can hand out.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { build as viteBuild } from 'vite';
import webpack from 'webpack';
import { distDir } from './site';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Makes `out` from the project in `dir`, which has main.js, index.html and node_modules/kvscope. */
type Bundle = (dir: string, out: string) => Promise<void>;

const copy = (dir: string, out: string, names: string[]) => {
  for (const name of names)
    fs.cpSync(path.join(dir, name), path.join(out, name), { recursive: true });
};

export const bundlers: Record<string, Bundle> = {
  async 'no bundler'(dir, out) {
    copy(dir, out, ['main.js', 'node_modules']);
    const map = { imports: { kvscope: './node_modules/kvscope/dist/kvscope.js' } };
    const html = fs.readFileSync(path.join(dir, 'index.html'), 'utf8');
    const script = `<script type="importmap">${JSON.stringify(map)}</script>\n  <script `;
    fs.writeFileSync(path.join(out, 'index.html'), html.replace('<script ', script));
  },

  async Vite(dir, out) {
    const build = { outDir: out, target: 'es2022' };
    await viteBuild({ root: dir, base: './', configFile: false, logLevel: 'error', build });
  },

  async webpack(dir, out) {
    const compiler = webpack({
      ...{ mode: 'production', context: dir, entry: './main.js', performance: false },
      ...{ output: { path: out, filename: 'main.js' }, experiments: { topLevelAwait: true } },
      optimization: { minimize: false }, // it takes seconds, and most of this is minified already
    })!;
    const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) =>
      compiler.run((error, stats) => (error ? reject(error) : resolve(stats))),
    );
    await new Promise((resolve) => compiler.close(resolve));
    if (stats?.hasErrors() || stats?.hasWarnings())
      throw new Error(stats.toString('errors-warnings'));
    copy(dir, out, ['index.html']);
  },

  /** It does not copy what `new URL('…', import.meta.url)` names: these files have to lie beside the bundle. */
  async esbuild(dir, out) {
    const entryPoints = [path.join(dir, 'main.js')];
    const options = { bundle: true, splitting: true, format: 'esm', minify: true } as const;
    await esbuild.build({ ...options, entryPoints, outdir: out, logLevel: 'error' });
    copy(dir, out, ['index.html']);
    const kvscope = path.join(dir, 'node_modules/kvscope/dist');
    const beside = fs
      .readdirSync(kvscope)
      .filter((name) => /^(models|kvscope-worker.*\.js|kvscope-.*\.(mjs|wasm))$/.test(name));
    copy(kvscope, out, beside);
  },
};

/** A project that has kvscope installed as npm does it. */
export function writeProject(dir: string): void {
  fs.cpSync(here('../../bundlers'), dir, { recursive: true });
  const installed = path.join(dir, 'node_modules/kvscope');
  fs.cpSync(distDir, path.join(installed, 'dist'), { recursive: true });
  fs.copyFileSync(here('../../../package.json'), path.join(installed, 'package.json'));
}
