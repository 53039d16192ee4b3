// How long loading takes beside reading the file alone, and how much memory a session takes.
import { launchChromium, rendererPeakBytes } from './chromium.mjs';
import { openBenchPage } from './engine.mjs';
import { builds } from './options.mjs';
import { modelUrl } from './server.mjs';
import { summarise } from './stats.mjs';

let requests = 0;
/** Never from the browser's cache: each URL is asked for once. */
const freshUrl = (file) => `${modelUrl(file)}?request=${++requests}`;

/** One build: a new page for each load, reads and loads in turn. */
async function measureBuild(browser, baseUrl, name, options) {
  const { build, threads } = builds[name];
  const [read, load] = [[], []];
  for (let run = -1; run < options.runs; run++) {
    const { page, call } = await openBenchPage(browser, baseUrl, `load ${name}`);
    const readMs = await call('readOnly', freshUrl(options.modelFile));
    const args = { build, threads, precision: options.precision };
    const { ms } = await call('load', freshUrl(options.modelFile), args);
    await page.close();
    if (run < 0) continue; // the file enters the system's cache, the module the browser's
    read.push(readMs);
    load.push(ms);
  }
  const more = load.map((ms, i) => ms - read[i]);
  return {
    build: name,
    readMs: summarise(read),
    loadMs: summarise(load),
    moreMs: summarise(more),
  };
}

export async function measureLoad(baseUrl, options) {
  const browser = await launchChromium();
  try {
    const rows = [];
    for (const name of options.builds)
      rows.push(await measureBuild(browser, baseUrl, name, options));
    return rows;
  } finally {
    await browser.close();
  }
}

/** Size of the engine's WebAssembly memory: it only grows, so this is its peak. */
async function engineMemoryBytes(page) {
  for (const worker of page.workers()) {
    const bytes = await worker.evaluate(() => globalThis.engineMemoryBytes?.());
    if (bytes !== undefined) return bytes;
  }
  throw new Error('the engine’s worker was not found');
}

/** Peaks after loading, and after a prompt and some tokens, in a browser that did nothing else. */
async function measureMemoryOf(baseUrl, name, options) {
  const browser = await launchChromium();
  try {
    const { page, call } = await openBenchPage(browser, baseUrl, `memory ${name}`);
    const emptyPageBytes = await rendererPeakBytes(browser);
    await call('watchEngineMemory');
    const { build, threads } = builds[name];
    const args = { build, threads, precision: options.precision };
    const session = { kvType: options.kvType };
    const { info } = await call('load', modelUrl(options.modelFile), args, session);
    const loadedBytes = await engineMemoryBytes(page);
    const length = Math.min(512, info.contextLength - 40);
    const { ids } = await call('prompt', length, 1);
    await call('openDecode', ids, 32);
    await call('decode', length, 32);
    return {
      ...{
        build: name,
        promptTokens: length,
        fileBytes: info.bytes,
        weightBytes: info.weightBytes,
      },
      ...{ loadedBytes, peakBytes: await engineMemoryBytes(page) },
      ...{ emptyPageBytes, rendererPeakBytes: await rendererPeakBytes(browser) },
    };
  } finally {
    await browser.close();
  }
}

export async function measureMemory(baseUrl, options) {
  const rows = [];
  for (const name of options.builds) rows.push(await measureMemoryOf(baseUrl, name, options));
  return rows;
}
