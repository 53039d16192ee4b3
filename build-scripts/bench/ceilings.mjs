// The machine's own limits, measured through WebAssembly in the same browser, between the runs.
import fs from 'node:fs';
import { at } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { toolchainEnv } from '../lib/toolchain.mjs';
import { launchChromium, openPage } from './chromium.mjs';
import { groupBy, summarise } from './stats.mjs';

export const ceilingsDir = at('build/bench');
const source = at('tests/bench/ceilings.cpp');
const modules = { simd: [], relaxed: ['-mrelaxed-simd'] };

/** Compiles the two modules, when the source is newer. */
export async function buildCeilings() {
  fs.mkdirSync(ceilingsDir, { recursive: true });
  for (const [name, options] of Object.entries(modules)) {
    const out = `${ceilingsDir}/ceilings-${name}.wasm`;
    const made = fs.statSync(out, { throwIfNoEntry: false });
    if (made && made.mtimeMs > fs.statSync(source).mtimeMs) continue;
    const args = [
      ...['-std=c++20', '-O3', '-Wall', '-Wextra', '-fno-exceptions', '-fno-rtti'],
      ...['-msimd128', ...options],
      ...['--no-entry', '-sSTANDALONE_WASM', '-sINITIAL_MEMORY=128MB', '-sSTACK_SIZE=64KB'],
      ...[source, '-o', out],
    ];
    const env = await toolchainEnv();
    await run('em++', args, { env, shell: process.platform === 'win32' });
  }
}

/**
 * Opens the page that measures them. weightBytes: what a decode step reads; a model that fits the
 * processor's cache is held to the bandwidth of the cache.
 */
export async function openCeilings(baseUrl, weightBytes) {
  const browser = await launchChromium();
  const { page } = await openPage(browser, `${baseUrl}bench/ceilings.html`);
  await page.evaluate(() => globalThis.ceilings.start(2));
  const bytes = Math.min(100 * 2 ** 20, Math.max(2 ** 16, Math.ceil(weightBytes / 1024) * 1024));
  const samples = [];
  return {
    /** One run; the first one warms up and is not kept. */
    async measure({ keep }) {
      const found = await page.evaluate((n) => globalThis.ceilings.measure(n), bytes);
      if (!keep) return;
      for (const [name, value] of Object.entries(found)) samples.push({ name, value });
    },
    /** name → { median, …, samples }: bytes per second and multiply-accumulates per second. */
    summary() {
      const groups = groupBy(samples, ({ name }) => name);
      return Object.fromEntries(
        [...groups].map(([name, all]) => [name, summarise(all.map(({ value }) => value))]),
      );
    },
    close: () => browser.close(),
  };
}

/** The bandwidth and the dot peak that hold for a build and a number of threads. */
export function ceilingFor(summary, { ceiling, threads }) {
  const peaks = Object.entries(summary)
    .filter(([name]) => name.startsWith(`${ceiling}.`) && name.endsWith(`.${threads}`))
    .map(([, value]) => value.median);
  return {
    bytesPerSecond: summary[`bandwidth.${threads}`].median,
    macsPerSecond: Math.max(...peaks),
  };
}
