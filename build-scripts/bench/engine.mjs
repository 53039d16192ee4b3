// kvscope in a browser of its own, driven through the page tests/bench/engine.html.
import { launchChromium, openPage } from './chromium.mjs';
import { builds } from './options.mjs';
import { modelUrl } from './server.mjs';

/** Calls a function of the page's `bench`; a failure comes with what the page reported. */
function caller({ page, failures }, label) {
  return async (name, ...args) => {
    try {
      return await page.evaluate(([name, args]) => globalThis.bench[name](...args), [name, args]);
    } catch (error) {
      const more = failures.length > 0 ? `\n  ${failures.join('\n  ')}` : '';
      throw new Error(`${label}: ${name}: ${error.message}${more}`);
    }
  };
}

export async function openBenchPage(browser, baseUrl, label) {
  const opened = await openPage(browser, `${baseUrl}bench/engine.html`);
  const call = caller(opened, label);
  await opened.page
    .waitForFunction(() => globalThis.bench, null, { timeout: 30_000 })
    .catch(() => {
      throw new Error(`${label}: the page did not start: ${opened.failures.join('; ')}`);
    });
  return { page: opened.page, call };
}

/** Loads a model in a new browser with one of the builds; resolves to { call, info, close }. */
export async function openEngine(baseUrl, name, options, url = modelUrl(options.modelFile)) {
  const { build, threads } = builds[name];
  const browser = await launchChromium();
  const { call, page } = await openBenchPage(browser, baseUrl, name);
  const { info } = await call(
    'load',
    url,
    { build, threads, precision: options.precision },
    { kvType: options.kvType },
  );
  const asWanted = info.threads === threads || info.isolation === 'small-model';
  if (info.build !== build || !asWanted)
    throw new Error(`${name}: ${info.build} with ${info.threads} threads runs instead`);
  return { name, build, threads, call, page, browser, info, close: () => browser.close() };
}
