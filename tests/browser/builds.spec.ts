// Which build runs where, and why there is only one thread when there is only one.
import { expect, openHarness, test } from './support/site';
import { withoutRelaxedSimd } from './support/without-relaxed-simd';

const MODEL = '/test-files/tiny.gguf';
/** Large enough for threads to be worth it. */
const WIDE = '/test-files/wide.gguf';

async function ran(
  page: import('@playwright/test').Page,
  options: { build?: 'simd' | 'relaxed' | 'relaxed-threads' | 'auto'; threads?: number | 'auto' },
  url: string | null = MODEL,
) {
  return page.evaluate(
    async ({ url, options }) => {
      const model = await window.kvscope.loadModel(url ?? undefined, options);
      const session = await model.createSession();
      await session.prefill('the sea is blue '.repeat(20));
      const steps = await window.collect(session.generate({ maxTokens: 20, ignoreEos: true }));
      const { build, threads, isolation } = model.info;
      model.close();
      return { build, threads, isolation, ids: steps.map((step) => step.id) };
    },
    { url, options },
  );
}

test.describe('on a cross-origin isolated page', () => {
  test.use({ isolated: true });

  test('threads are used', async ({ harness }) => {
    const { build, threads, isolation } = await ran(harness, {}, WIDE);
    expect(build).toBe('relaxed-threads');
    expect(threads).toBeGreaterThan(1);
    expect(isolation).toBeNull();
  });

  test('a small model says that it runs on one thread, and why', async ({ harness }) => {
    expect(await ran(harness, {})).toMatchObject({
      ...{ build: 'relaxed-threads', threads: 1, isolation: 'small-model' },
    });
  });

  test('all three builds give the same tokens', async ({ harness }) => {
    const [simd, relaxed, threads] = [
      await ran(harness, { build: 'simd' }, WIDE),
      await ran(harness, { build: 'relaxed' }, WIDE),
      await ran(harness, { build: 'relaxed-threads', threads: 2 }, WIDE),
    ];
    expect([simd.build, relaxed.build, threads.build]).toEqual([
      'simd',
      'relaxed',
      'relaxed-threads',
    ]);
    expect(relaxed.ids).toEqual(simd.ids);
    expect(threads.ids).toEqual(simd.ids);
  });

  test('the model that comes with it is known to be small: no threads are started for it', async ({
    harness,
  }) => {
    expect(await ran(harness, {}, null)).toMatchObject({
      ...{ build: 'relaxed', threads: 1, isolation: 'small-model' },
    });
    expect(await ran(harness, { threads: 2 }, null)).toMatchObject({
      ...{ build: 'relaxed-threads', threads: 1, isolation: 'small-model' },
    });
  });

  test('one thread can be asked for', async ({ harness }) => {
    expect(await ran(harness, { threads: 1 })).toMatchObject({
      ...{ build: 'relaxed', threads: 1, isolation: 'asked-for-one' },
    });
  });
});

test.describe('on a page without isolation headers', () => {
  test.use({ isolated: false });

  test('the relaxed build runs on one thread and says why', async ({ harness }) => {
    expect(await ran(harness, {})).toMatchObject({
      ...{ build: 'relaxed', threads: 1, isolation: 'not-isolated' },
    });
    expect(await ran(harness, { threads: 4 })).toMatchObject({
      ...{ threads: 1, isolation: 'not-isolated' },
    });
  });

  test('asking for the build with threads is refused with the reason', async ({ harness }) => {
    const failure = await harness.evaluate(
      (url) =>
        window.failure(window.kvscope.loadModel(url, { build: 'relaxed-threads', threads: 2 })),
      MODEL,
    );
    expect(failure).toMatchObject({ code: 'build-unavailable' });
    expect(failure?.message).toContain('COOP and COEP');
  });
});

test('a browser without relaxed SIMD gets the plain build', async ({ page, site }) => {
  await withoutRelaxedSimd(page);
  await openHarness(page, site);
  expect(await ran(page, {})).toMatchObject({
    ...{ build: 'simd', threads: 1, isolation: 'no-relaxed-simd' },
  });
});

test('thread workers that do not start leave one thread, and the reason', async ({
  page,
  site,
}) => {
  site.options.isolated = true;
  // The engine's worker may not start workers of its own.
  await page.route(/kvscope-worker\.js$/, async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), 'content-security-policy': "worker-src 'none'" };
    await route.fulfill({ response, headers });
  });
  await openHarness(page, site);
  expect(await ran(page, {})).toMatchObject({
    ...{ build: 'relaxed', threads: 1, isolation: 'threads-failed' },
  });
});

for (const kind of ['mjs', 'wasm']) {
  test(`a missing engine file (.${kind}) is reported with its address, and nothing hangs`, async ({
    page,
    site,
  }) => {
    const files = new RegExp(`kvscope-(simd|relaxed).*\\.${kind}$`);
    await page.route(files, (route) => route.fulfill({ status: 404 }));
    await openHarness(page, site);
    const failure = await page.evaluate(
      (url) => window.failure(window.kvscope.loadModel(url)),
      MODEL,
    );
    expect(failure).toMatchObject({ code: 'network' });
    expect(failure?.message).toMatch(new RegExp(`kvscope-\\w+\\.${kind}`));
  });
}

test('the WebAssembly is asked for while its script is still on the way', async ({
  page,
  site,
}) => {
  const asked = page.waitForRequest(/kvscope-relaxed\.wasm$/);
  await page.route(/kvscope-relaxed\.mjs$/, (route) => asked.then(() => route.continue()));
  await openHarness(page, site);
  expect(await ran(page, { threads: 1 })).toMatchObject({ build: 'relaxed' });
});

test('a server that calls WebAssembly by another type will do', async ({ page, site }) => {
  await page.route(/kvscope-relaxed\.wasm$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, contentType: 'application/octet-stream' });
  });
  await openHarness(page, site);
  expect(await ran(page, { threads: 1 })).toMatchObject({ build: 'relaxed' });
});

test('a missing worker file is reported too', async ({ page, site }) => {
  await page.route(/kvscope-worker\.js$/, (route) => route.fulfill({ status: 404 }));
  await openHarness(page, site);
  const failure = await page.evaluate(
    (url) => window.failure(window.kvscope.loadModel(url)),
    MODEL,
  );
  expect(failure).toMatchObject({ code: 'worker-failed' });
});
