// <kv-scope> in an article: lazy, observable from outside, sharing one engine, leaving nothing behind.
import type { Page } from '@playwright/test';
import { expect, test } from './support/site';
import { tinyLlama } from './support/tiny-llama';

const workers = (page: Page) =>
  page.workers().filter((worker) => /kvscope-worker/.test(worker.url()));

const add = (page: Page, html: string) =>
  page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), html);

test('a run from idle to done: states, events in order, tokens drawn', async ({ harness }) => {
  await harness.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    for (const type of ['kv-ready', 'kv-prefill', 'kv-token', 'kv-done', 'kv-error']) {
      document.addEventListener(type, () => seen.at(-1) !== type && seen.push(type));
    }
  });
  await add(
    harness,
    '<kv-scope src="/test-files/tiny.gguf" prompt="바다 색깔은" max-tokens="5" lang="ko"></kv-scope>',
  );
  const element = harness.locator('kv-scope');
  await expect(element).toHaveAttribute('data-state', 'ready');
  await element.getByRole('button', { name: '실행' }).click();
  await expect(element).toHaveAttribute('data-state', 'done');
  expect(await harness.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual([
    'kv-ready',
    'kv-prefill',
    'kv-token',
    'kv-done',
  ]);
  await expect(element.locator('.chip.prompt')).toHaveText(['<s>', '바다', '색깔', '은']);
  await expect(element.locator('.chip.output')).toHaveCount(5);
  await expect(element.locator('.line')).toContainText('KV 캐시 2,048 B'); // 256 B × 8 tokens
});

test('nothing is fetched until the element comes into view', async ({ harness, site }) => {
  const heavy = () => site.log.filter(({ path }) => /worker|wasm|mjs|gguf/.test(path));
  await add(harness, '<div id="far"></div>');
  await harness.locator('#far').evaluate((far) => {
    far.style.height = '5000px';
  });
  await add(harness, '<kv-scope src="/test-files/tiny.gguf" prompt="the"></kv-scope>');
  // The observer's first answer comes after the next frame: wait until it has been given.
  await harness.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 200))),
  );
  const element = harness.locator('kv-scope');
  await expect(element).toHaveAttribute('data-state', 'idle');
  expect(heavy()).toEqual([]);
  await element.scrollIntoViewIfNeeded();
  await expect(element).toHaveAttribute('data-state', 'ready');
  expect(heavy().some(({ path }) => path.endsWith('.gguf'))).toBe(true);
});

test('two elements share one worker and one download; removing both ends the worker', async ({
  harness,
  site,
}) => {
  site.log.length = 0;
  const one = '<kv-scope src="/test-files/tiny.gguf" prompt="the sea" autoplay></kv-scope>';
  await add(harness, one + one);
  for (const element of await harness.locator('kv-scope').all()) {
    await expect(element).toHaveAttribute('data-state', 'done');
  }
  expect(workers(harness)).toHaveLength(1);
  expect(site.log.filter(({ path }) => path.endsWith('tiny.gguf'))).toHaveLength(1);
  await harness.evaluate(() => {
    for (const element of document.querySelectorAll('kv-scope')) element.remove();
  });
  await expect.poll(() => workers(harness).length).toBe(0);
});

test('a failure is shown in the element’s language, told by an event, and another source works', async ({
  harness,
}) => {
  await add(harness, '<kv-scope src="/test-files/none.gguf" prompt="the" lang="ko"></kv-scope>');
  const element = harness.locator('kv-scope');
  await expect(element).toHaveAttribute('data-state', 'error');
  await expect(element.getByRole('alert')).toHaveText('서버가 오류로 응답했습니다.');
  await element.evaluate((e) => {
    e.setAttribute('src', '/test-files/tiny.gguf');
  });
  await element.getByRole('button').click();
  await expect(element).toHaveAttribute('data-state', 'done');
});

test('the script can be loaded twice', async ({ harness }) => {
  const error = await harness.evaluate(async () => {
    try {
      await import(`${location.origin}/kvscope.js?again`);
      return null;
    } catch (error) {
      return String(error);
    }
  });
  expect(error).toBeNull();
});

test('what headers would buy is said once a model is heavy enough to feel it, and not before', async ({
  page,
  site,
}) => {
  const heavy = tinyLlama({ ffnDim: 14_000 }); // 21 MB of weights
  await page.route('**/heavy.gguf', (route) => route.fulfill({ body: heavy }));
  await page.goto(`${site.url}test-files/harness.html`);
  for (const [src, count] of [
    ['/test-files/tiny.gguf', 0],
    ['/heavy.gguf', 1],
  ] as const) {
    await page.evaluate((src) => {
      document.body.innerHTML = `<kv-scope src="${src}" prompt="the sea" max-tokens="2" lang="en" autoplay></kv-scope>`;
    }, src);
    const scope = page.locator('kv-scope');
    await expect(scope).toHaveAttribute('data-state', 'done');
    await expect(scope.getByText('With the headers COOP and COEP')).toHaveCount(count);
  }
});
