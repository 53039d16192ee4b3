// Six bundles, one a mode, each of whose entries is one file, so that a page waits for one request:
// kvscope.js (the element), page.js (the page), kvscope-worker.js (the engine's worker),
// kvscope-api.js (the API alone, for the npm package), node/*.js (the same under Node, and the command line) and
// offline-worker.js (the page's service worker; build-scripts/lib/offline.mjs completes it).
// Only what is imported dynamically becomes a file of its own: the API, and each view of the element.
// Names carry no hash: a blog names kvscope.js, and everything else is found beside it. HTML is copied
// as it is.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const entries: Record<string, string> = {
  kvscope: here('web/src/kvscope.ts'),
  page: here('web/src/page/page.ts'),
  'kvscope-worker': here('web/src/worker/worker.ts'),
  'kvscope-api': here('web/src/api/index.ts'),
  'offline-worker': here('web/src/offline/worker.ts'),
};

/**
 * uPlot makes a number formatter for navigator.language as it loads. WebKitGTK in the C locale says "C",
 * which is no language, and the whole page would not start.
 */
const anyLocale: Plugin = {
  name: 'uplot-any-locale',
  transform(code, id) {
    if (!/uPlot\.esm\.js$/.test(id)) return undefined;
    const theirs = "new Intl.NumberFormat(domEnv ? nav.language : 'en-US')";
    if (!code.includes(theirs)) throw new Error(`uPlot has no ${theirs} any more`);
    return code.replace(theirs, 'new Intl.NumberFormat()');
  },
};

const { version } = JSON.parse(readFileSync(here('package.json'), 'utf8'));

/** dist/node: for Node itself, so its own modules stay imports. */
const node: UserConfig = {
  root: here('web'),
  publicDir: false,
  logLevel: 'warn',
  define: { __VERSION__: JSON.stringify(version) },
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: here('dist/node'),
    emptyOutDir: true,
    target: 'node20',
    rolldownOptions: {
      input: Object.fromEntries(
        ['api', 'worker', 'cli'].map((name) => [name, here(`web/src/node/${name}.ts`)]),
      ),
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'shared-[name].js' },
    },
  },
};

/**
 * Vite wraps each import() in code that fetches style sheets before it. Ours have none, and webpack warns
 * of that code.
 */
const PRELOAD = '\0vite/preload-helper.js';
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  resolveId: (id) => (id === PRELOAD ? id : undefined),
  load: (id) => (id === PRELOAD ? 'export const __vitePreload = (load) => load();' : undefined),
};

export default defineConfig(({ mode }) => {
  if (mode === 'node') return node;
  const debug = process.env.KVSCOPE_DEBUG === '1';
  return {
    root: here('web'),
    base: './',
    publicDir: false,
    logLevel: 'warn',
    plugins: [anyLocale, plainImports],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: here('dist'),
      emptyOutDir: false,
      target: 'es2022',
      minify: !debug,
      sourcemap: debug,
      modulePreload: false,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rolldownOptions: {
        input: { [mode]: entries[mode] ?? '' },
        // What an entry and its late files share stays in the entry: one request, not a chain.
        preserveEntrySignatures: 'allow-extension',
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          // Beside the entries, so that `new URL('./x', import.meta.url)` means the same everywhere.
          chunkFileNames: `${mode}-[name].js`,
          assetFileNames: '[name][extname]',
        },
      },
    },
  };
});
