// Two bundles: `--mode web` makes kvscope.js (API and element) and page.js (the page) with what they
// share; `--mode worker` makes kvscope-worker.js, one self-contained file. Names carry no hash:
// a blog names kvscope.js, and everything else is found beside it. HTML is copied as it is.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const entries: Record<string, Record<string, string>> = {
  web: { kvscope: here('web/src/kvscope.ts'), page: here('web/src/page/page.ts') },
  worker: { 'kvscope-worker': here('web/src/worker/worker.ts') },
};

export default defineConfig(({ mode }) => {
  const debug = process.env.KVSCOPE_DEBUG === '1';
  const input = Object.fromEntries(
    Object.entries(entries[mode] ?? {}).filter(([, file]) => existsSync(file)),
  );
  return {
    root: here('web'),
    base: './',
    publicDir: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: here('dist'),
      emptyOutDir: false,
      target: 'es2022',
      minify: !debug,
      sourcemap: debug,
      modulePreload: false,
      cssCodeSplit: true,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rolldownOptions: {
        input,
        preserveEntrySignatures: 'allow-extension',
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          // Beside the entries, so that `new URL('./x', import.meta.url)` means the same everywhere.
          chunkFileNames: 'kvscope-[name].js',
          assetFileNames: '[name][extname]',
        },
      },
    },
  };
});
