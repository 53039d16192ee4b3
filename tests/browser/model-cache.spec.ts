// Models kept for the next visit: what is kept, what never is, and what happens to a broken connection.
import type { Page } from '@playwright/test';
import type { LoggedRequest } from '../../build-scripts/serve.mjs';
import { expect, openHarness, test } from './support/site';

const MODEL = '/test-files/tiny.gguf';

/** What info.cache says, and what the model generates: the same bytes give the same tokens. */
const load = (page: Page, url: string, cache = true) =>
  page.evaluate(
    async ({ url, cache }) => {
      const model = await window.kvscope.loadModel(url, { cache });
      const session = await model.createSession();
      await session.prefill('the sea');
      const steps = await window.collect(session.generate({ maxTokens: 5, ignoreEos: true }));
      await model.cacheUse;
      const { cache: use, bytes } = model.info;
      model.close();
      return { use, bytes, ids: steps.map(({ id }) => id) };
    },
    { url, cache },
  );

const failureOf = (page: Page, url: string) =>
  page.evaluate((url) => window.failure(window.kvscope.loadModel(url)), url);

/** The addresses that something is kept under. */
const kept = (page: Page) =>
  page.evaluate(async () => {
    const cache = await caches.open('kvscope-models-1');
    return (await cache.keys()).map(({ url }) => new URL(url).pathname);
  });

const downloads = (log: LoggedRequest[]) =>
  log.filter(({ method, path }) => method === 'GET' && path.endsWith('.gguf'));

test('the second visit takes the model from storage, without network', async ({
  harness,
  site,
}) => {
  const first = await load(harness, MODEL);
  expect(first.use).toBe('stored');
  await openHarness(harness, site);
  site.log.length = 0;
  await harness.route(/\.gguf/, (route) => route.abort());
  const second = await load(harness, MODEL);
  expect(second).toEqual({ ...first, use: 'hit' });
  expect(downloads(site.log)).toEqual([]);
});

/** A disk that answers when it is told to. */
async function withSlowDisk(page: Page): Promise<void> {
  const slow = `const { put } = Cache.prototype;
    const told = new Promise((resolve) => new BroadcastChannel('disk').addEventListener('message', resolve));
    Cache.prototype.put = function (...args) { return told.then(() => put.apply(this, args)); };\n`;
  await page.route(/kvscope-worker\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: slow + (await response.text()) });
  });
}

test('a model can be used before the disk has it, and is written down though it is closed', async ({
  page,
  site,
}) => {
  await withSlowDisk(page);
  await openHarness(page, site);
  const seen = await page.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const session = await model.createSession();
    const { tokens } = await session.prefill('the sea');
    const before = model.info.cache;
    model.close();
    new BroadcastChannel('disk').postMessage('write');
    return { tokens, before, after: await model.cacheUse, info: model.info.cache };
  }, MODEL);
  expect(seen.tokens).toBeGreaterThan(1);
  expect(seen).toMatchObject({ before: 'storing', after: 'stored', info: 'stored' });
  expect(await kept(page)).toContain(MODEL);
});

test('a load that comes before the disk has the model waits for that, and downloads nothing', async ({
  page,
  site,
}) => {
  await withSlowDisk(page);
  await openHarness(page, site);
  site.log.length = 0;
  const seen = await page.evaluate(async (url) => {
    const first = await window.kvscope.loadModel(url);
    const { cache } = first.info;
    const second = window.kvscope.loadModel(url);
    setTimeout(() => new BroadcastChannel('disk').postMessage('write'), 300);
    return [cache, (await second).info.cache];
  }, MODEL);
  expect(seen).toEqual(['storing', 'hit']);
  expect(downloads(site.log)).toHaveLength(1);
});

test('two loads of one file at once share one download, and closing one model leaves the other', async ({
  harness,
  site,
}) => {
  site.log.length = 0;
  const { ids, uses } = await harness.evaluate(async (url) => {
    const models = await Promise.all([1, 2].map(() => window.kvscope.loadModel(url)));
    const uses = await Promise.all(models.map(({ cacheUse }) => cacheUse));
    const ids: number[][] = [];
    for (const model of models) {
      const session = await model.createSession();
      await session.prefill('the sea');
      const steps = await window.collect(session.generate({ maxTokens: 5, ignoreEos: true }));
      ids.push(steps.map(({ id }) => id));
      model.close();
    }
    return { ids, uses };
  }, MODEL);
  expect(uses).toEqual(['stored', 'stored']);
  expect(ids[0]).toHaveLength(5);
  expect(ids[1]).toEqual(ids[0]);
  expect(downloads(site.log)).toHaveLength(1);
});

test('a load that is given up leaves another one of the same file alone, with its progress', async ({
  harness,
  site,
}) => {
  site.log.length = 0;
  const { failure, loaded, use } = await harness.evaluate(async (url) => {
    const abort = new AbortController();
    const first = window.failure(window.kvscope.loadModel(url, { signal: abort.signal }));
    const loaded: number[] = [];
    const second = window.kvscope.loadModel(url, {
      onProgress: (progress) => {
        loaded.push(progress.loaded);
        if (progress.phase === 'read') abort.abort();
      },
    });
    const failure = await first;
    return { failure, loaded, use: await (await second).cacheUse };
  }, '/test-files/wide.gguf?rate=12000000');
  expect(failure).toMatchObject({ code: 'aborted' });
  expect(loaded.length).toBeGreaterThan(2);
  expect(use).toBe('stored');
  expect(downloads(site.log)).toHaveLength(1);
});

test('with cache: false nothing is stored and nothing is taken from storage', async ({
  harness,
  site,
}) => {
  expect((await load(harness, MODEL, false)).use).toBe('off');
  expect(await kept(harness)).toEqual([]);
  await load(harness, MODEL);
  site.log.length = 0;
  expect((await load(harness, MODEL, false)).use).toBe('off');
  expect(site.log.some(({ path }) => path === MODEL)).toBe(true);
});

/** From here on the server tells another version of the file, until the page goes on without this. */
async function changeOnServer(page: Page): Promise<void> {
  await page.route(/tiny\.gguf/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), etag: '"another"' } });
  });
  // The model stays open, so that its worker can ask.
  await page.evaluate(async (url) => {
    Object.assign(window, { model: await window.kvscope.loadModel(url) });
  }, MODEL);
  const label = () =>
    page.evaluate(async () => {
      const cache = await caches.open('kvscope-models-1');
      const requests = await cache.keys();
      const request = requests.find(({ url }) => url.includes('label'));
      return await (await cache.match(request!))!.json();
    });
  await expect.poll(async () => (await label()).stale).toBe(true);
}

test('a file that has changed on the server is downloaded anew on the visit after', async ({
  harness,
}) => {
  const first = await load(harness, MODEL);
  await changeOnServer(harness);
  expect(await load(harness, MODEL)).toEqual({ ...first, use: 'stored' });
  expect((await load(harness, MODEL)).use).toBe('hit');
});

for (const [what, answer] of [
  ['no network', null],
  ['a server in trouble', { status: 503, body: 'later' }],
  ['a sign-in page', { contentType: 'text/html', body: '<!doctype html><title>Sign in</title>' }],
] as const) {
  test(`with ${what}, a version that the server no longer has goes on being used`, async ({
    harness,
  }) => {
    const first = await load(harness, MODEL);
    await changeOnServer(harness);
    await harness.unroute(/tiny\.gguf/);
    await harness.route(/tiny\.gguf/, (route) => (answer ? route.fulfill(answer) : route.abort()));
    expect(await load(harness, MODEL)).toEqual({ ...first, use: 'hit' });
    await harness.unroute(/tiny\.gguf/);
    expect(await load(harness, MODEL)).toEqual({ ...first, use: 'stored' });
  });
}

test('an answer that is no answer about the file does not make the copy doubtful', async ({
  harness,
}) => {
  await load(harness, MODEL);
  await harness.route(/tiny\.gguf/, (route) => route.fulfill({ status: 503, body: 'later' }));
  const asked = harness.waitForResponse((response) => response.request().method() === 'HEAD');
  await harness.evaluate(async (url) => {
    Object.assign(window, { model: await window.kvscope.loadModel(url) });
  }, MODEL);
  await asked;
  expect((await load(harness, MODEL)).use).toBe('hit');
});

for (const [what, fault, code] of [
  ['cut short', '?truncate=50000', 'truncated'],
  ['broken off', '?drop=50000', 'network'],
  ['a web page', '?html', 'not-gguf'],
] as const) {
  test(`a download that is ${what} is not kept`, async ({ harness }) => {
    expect(await failureOf(harness, MODEL + fault)).toMatchObject({ code });
    expect(await kept(harness)).toEqual([]);
  });
}

test('a download that is given up is not kept', async ({ harness }) => {
  const failure = await harness.evaluate(async (url) => {
    const abort = new AbortController();
    const load = window.kvscope.loadModel(url, { signal: abort.signal });
    setTimeout(() => abort.abort(), 500);
    return window.failure(load);
  }, `${MODEL}?stall=100000`);
  expect(failure).toMatchObject({ code: 'aborted' });
  expect(await kept(harness)).toEqual([]);
});

test('a kept file that was damaged or lost its label is noticed and downloaded again', async ({
  harness,
}) => {
  const first = await load(harness, MODEL);
  await harness.evaluate(async (url) => {
    const cache = await caches.open('kvscope-models-1');
    const bytes = new Uint8Array(await (await cache.match(url))!.arrayBuffer());
    const last = bytes.length - 100; // in the weights: the engine cannot know
    bytes[last] = bytes[last]! ^ 1;
    await cache.put(url, new Response(bytes));
  }, MODEL);
  expect(await load(harness, MODEL)).toEqual({ ...first, use: 'stored' });
  await harness.evaluate(async () => {
    const cache = await caches.open('kvscope-models-1');
    for (const request of await cache.keys())
      if (request.url.includes('label')) await cache.delete(request);
  });
  expect(await load(harness, MODEL)).toEqual({ ...first, use: 'stored' });
  expect((await load(harness, MODEL)).use).toBe('hit');
});

test('where the browser gives no room, the model runs and info says so', async ({
  harness,
  context,
  site,
}) => {
  const whole = await load(harness, MODEL, false);
  const cdp = await context.newCDPSession(harness);
  const origin = new URL(site.url).origin;
  await cdp.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 });
  expect(await load(harness, MODEL)).toEqual({ ...whole, use: 'refused' });
  expect(await kept(harness)).toEqual([]);
});

test('a connection that breaks again and again is taken up where it broke', async ({
  harness,
  site,
}) => {
  // Another model keeps the engine up: while one starts, what has come already waits, and is lost.
  await harness.evaluate(async () => {
    Object.assign(window, { other: await window.kvscope.loadModel('/test-files/other.gguf') });
  });
  const whole = await load(harness, MODEL, false);
  site.log.length = 0;
  const resumed = await load(harness, `${MODEL}?flaky=100000`);
  expect(resumed).toEqual({ ...whole, use: 'stored' });
  const parts = downloads(site.log);
  expect(parts[0]!.bytes).toBe(whole.bytes);
  expect(parts.slice(1).map(({ bytes }) => bytes)).toEqual(
    parts.slice(1).map((_, i) => whole.bytes - 100_000 * (i + 1)),
  );
  expect(parts.slice(1).every(({ status }) => status === 206)).toBe(true);
  expect(parts.length).toBe(Math.ceil(whole.bytes / 100_000));
});

test('the rest of another version of the file is not put behind the beginning of this one', async ({
  harness,
}) => {
  await harness.route(/tiny\.gguf/, async (route) => {
    if (!route.request().headers().range) return route.continue();
    const response = await route.fetch({ url: route.request().url().replace('flaky', 'none') });
    await route.fulfill({ response, headers: { ...response.headers(), etag: '"another"' } });
  });
  const failure = await failureOf(harness, `${MODEL}?flaky=100000`);
  expect(failure).toMatchObject({ code: 'network' });
  expect(failure?.message).toContain('something else');
});

test('without a version to compare, a broken download is not patched together', async ({
  harness,
  site,
}) => {
  site.log.length = 0;
  const failure = await failureOf(harness, `${MODEL}?flaky=100000&noversion`);
  expect(failure).toMatchObject({ code: 'network' });
  expect(downloads(site.log)).toHaveLength(1);
});
