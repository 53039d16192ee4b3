// What <kv-scope> leaves behind, keeps and shares, whenever it is taken out, moved or joined by others.
import type { Page } from '@playwright/test';
import { useFakeEngine } from './support/fake-engine';
import { expect, test } from './support/site';

const workers = (page: Page) =>
  page.workers().filter((worker) => /kvscope-worker/.test(worker.url()));

const add = (page: Page, html: string) =>
  page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), html);

const remove = (page: Page, selector = 'kv-scope') =>
  page.evaluate((selector) => document.querySelector(selector)!.remove(), selector);

const element = (attributes: string) =>
  `<kv-scope src="/test-files/tiny.gguf" lang="en" ${attributes}></kv-scope>`;

let failures: string[];
test.beforeEach(({ page }) => {
  failures = [];
  page.on('pageerror', (error) => failures.push(String(error)));
});
test.afterEach(() => expect(failures).toEqual([]));

test('removed in the middle of a download: the request is dropped and the worker ends', async ({
  harness,
  site,
}) => {
  site.log.length = 0;
  await add(harness, '<kv-scope src="/test-files/tiny.gguf?stall=100000" prompt="the"></kv-scope>');
  const open = () => site.log.find(({ path }) => path.endsWith('.gguf'))?.open;
  await expect.poll(open).toBe(true);
  await expect(harness.locator('kv-scope')).toHaveAttribute('data-state', 'loading');
  await remove(harness);
  await expect.poll(open).toBe(false);
  await expect.poll(() => workers(harness).length).toBe(0);
});

test('removed before its worker’s script has come: none starts afterwards', async ({ harness }) => {
  let letGo = () => {};
  await harness.route(/kvscope-worker\.js/, async (route) => {
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await route.continue().catch(() => {}); // the request has gone by then
  });
  const asked = harness.waitForRequest(/kvscope-worker\.js/);
  await add(harness, element('prompt="the"'));
  await asked;
  await remove(harness);
  letGo();
  await harness.waitForTimeout(300);
  expect(workers(harness)).toHaveLength(0);
});

for (const state of ['ready', 'prefill', 'decode', 'done']) {
  test(`removed in the state “${state}”: the worker ends, and a new element works`, async ({
    harness,
  }) => {
    await useFakeEngine(harness);
    const prompt = state === 'prefill' ? 'SLOW '.repeat(200) : 'SLOW sea';
    const tokens = state === 'decode' ? 500 : 2;
    await add(
      harness,
      element(`prompt="${prompt}" max-tokens="${tokens}" ${state === 'ready' ? '' : 'autoplay'}`),
    );
    await expect(harness.locator('kv-scope')).toHaveAttribute('data-state', state);
    await remove(harness);
    await expect.poll(() => workers(harness).length).toBe(0);
    await add(harness, element('prompt="the sea" max-tokens="2" autoplay'));
    await expect(harness.locator('kv-scope')).toHaveAttribute('data-state', 'done');
  });
}

test('moved in the document in the middle of a run, it goes on', async ({ harness }) => {
  await useFakeEngine(harness);
  await add(harness, `${element('prompt="SLOW sea" max-tokens="20" autoplay')}<aside></aside>`);
  const scope = harness.locator('kv-scope');
  await expect(scope).toHaveAttribute('data-state', 'decode');
  const seen = await scope.evaluate(async (element) => {
    const seen: string[] = [];
    for (const type of ['kv-progress', 'kv-ready', 'kv-prefill', 'kv-error']) {
      element.addEventListener(type, () => seen.push(type));
    }
    const done = new Promise((resolve) => element.addEventListener('kv-done', resolve));
    document.querySelector('aside')!.append(element);
    await done;
    return seen;
  });
  expect(seen).toEqual([]);
  await expect(harness.locator('aside kv-scope .chip.output')).toHaveCount(20);
  expect(workers(harness)).toHaveLength(1);
});

test('one of two leaves in the middle of the download: the other gets its model', async ({
  harness,
  site,
}) => {
  site.log.length = 0;
  const slow = (id: string) =>
    `<kv-scope id="${id}" src="/test-files/tiny.gguf?rate=300000" prompt="the"></kv-scope>`;
  await add(harness, slow('a') + slow('b'));
  await expect(harness.locator('#b')).toHaveAttribute('data-state', 'loading');
  await remove(harness, '#a');
  await expect(harness.locator('#b')).toHaveAttribute('data-state', 'ready');
  expect(site.log.filter(({ path }) => path.endsWith('.gguf'))).toHaveLength(1);
});

test('elements wait for their turn: no run begins before the one before it has ended', async ({
  harness,
}) => {
  await useFakeEngine(harness);
  await harness.evaluate(() => {
    const order: string[] = [];
    Object.assign(window, { order });
    for (const type of ['kv-prefill', 'kv-done']) {
      document.addEventListener(type, ({ target }) =>
        order.push(`${(target as Element).id} ${type}`),
      );
    }
  });
  const slow = (id: string) => element(`id="${id}" prompt="SLOW sea" max-tokens="5" autoplay`);
  await add(harness, slow('a') + slow('b') + slow('c'));
  for (const id of ['a', 'b', 'c']) {
    await expect(harness.locator(`#${id}`)).toHaveAttribute('data-state', 'done');
  }
  const order = await harness.evaluate(() => (window as unknown as { order: string[] }).order);
  const ids = order.filter((_, i) => i % 2 === 0).map((entry) => entry[0]!);
  expect([...ids].sort()).toEqual(['a', 'b', 'c']); // which is first depends on what the browser loads first
  expect(order).toEqual(ids.flatMap((id) => [`${id} kv-prefill`, `${id} kv-done`]));
});

test('one that waits for its turn and leaves does not hold up the next', async ({ harness }) => {
  await useFakeEngine(harness);
  const run = (id: string, tokens: number) =>
    element(`id="${id}" prompt="SLOW sea" max-tokens="${tokens}" autoplay`);
  await add(harness, run('a', 150));
  await expect(harness.locator('#a')).toHaveAttribute('data-state', 'decode');
  await add(harness, run('b', 5) + run('c', 5));
  await expect(harness.locator('#b').getByText('Waiting for its turn')).toBeVisible();
  await remove(harness, '#b');
  await expect(harness.locator('#c')).toHaveAttribute('data-state', 'done');
  await expect(harness.locator('#a .chip.output')).toHaveCount(150);
});

test('the button stops a run: what there is stays, and it can run again', async ({ harness }) => {
  await useFakeEngine(harness);
  await add(harness, element('prompt="SLOW sea" max-tokens="500" autoplay'));
  const scope = harness.locator('kv-scope');
  await expect(scope.locator('.chip.output').nth(2)).toBeVisible();
  const done = scope.evaluate(
    (element) =>
      new Promise<string>((resolve) =>
        element.addEventListener('kv-done', (event) =>
          resolve((event as CustomEvent<{ finish: string }>).detail.finish),
        ),
      ),
  );
  await scope.getByRole('button', { name: 'Stop' }).click();
  expect(await done).toBe('abort');
  await expect(scope).toHaveAttribute('data-state', 'done');
  await scope.evaluate((element) => Object.assign(element, { maxTokens: 2 }));
  await scope.getByRole('button', { name: 'Run' }).click();
  await expect(scope.locator('.chip.output')).toHaveCount(2);
});

test('an engine that crashes ends one run; the next one gets a new engine', async ({ harness }) => {
  await useFakeEngine(harness);
  await add(harness, element('id="a" prompt="CRASH"') + element('id="b" prompt="the sea"'));
  for (const id of ['a', 'b']) {
    await expect(harness.locator(`#${id}`)).toHaveAttribute('data-state', 'ready');
  }
  const button = (id: string) => harness.locator(`#${id}`).getByRole('button');
  await button('a').click();
  await expect(harness.locator('#a')).toHaveAttribute('data-state', 'error');
  await harness.locator('#a').evaluate((a) => a.setAttribute('prompt', 'the sea'));
  await button('a').click();
  await expect(harness.locator('#a')).toHaveAttribute('data-state', 'done');
});

test('with data saving on, nothing heavy is fetched before a press of the button', async ({
  page,
  site,
}) => {
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  );
  await page.goto(`${site.url}test-files/harness.html`);
  await page.waitForFunction(() => 'kvscope' in window);
  site.log.length = 0;
  await add(page, element('prompt="the" max-tokens="2" loading="eager" autoplay'));
  await expect(page.locator('kv-scope').getByText('Data saving is on')).toBeVisible();
  await page.waitForTimeout(300);
  expect(site.log).toEqual([]);
  await page.locator('kv-scope').getByRole('button').click();
  await expect(page.locator('kv-scope')).toHaveAttribute('data-state', 'done');
});

test('the poster gives way to the first run, the fallback comes after a failure', async ({
  harness,
}) => {
  const slots = '<p slot="poster">POSTER</p><p slot="fallback">FALLBACK</p>';
  const scope = (src: string) =>
    `<kv-scope src="/test-files/${src}" prompt="the" max-tokens="2" lang="en">${slots}</kv-scope>`;
  await add(harness, scope('tiny.gguf'));
  const [poster, fallback] = [harness.getByText('POSTER'), harness.getByText('FALLBACK')];
  await expect(harness.locator('kv-scope')).toHaveAttribute('data-state', 'ready');
  await expect(poster).toBeVisible();
  await expect(fallback).toBeHidden();
  await harness.getByRole('button').click();
  await expect(harness.locator('kv-scope')).toHaveAttribute('data-state', 'done');
  await expect(poster).toBeHidden();
  await remove(harness);
  await add(harness, scope('none.gguf'));
  await expect(harness.locator('kv-scope')).toHaveAttribute('data-state', 'error');
  await expect(fallback).toBeVisible();
});

test('its height is the same before, while and after it works', async ({ harness }) => {
  await add(harness, element('prompt="the sea" max-tokens="60"'));
  const scope = harness.locator('kv-scope');
  const heights = scope.evaluate((element) => {
    const heights = new Set<number>();
    const note = () => heights.add(element.getBoundingClientRect().height);
    new ResizeObserver(note).observe(element);
    return new Promise<number[]>((resolve) =>
      element.addEventListener('kv-done', () => requestAnimationFrame(() => resolve([...heights]))),
    );
  });
  await scope.getByRole('button').click();
  expect(await heights).toHaveLength(1);
  await expect(scope.locator('.chip.output')).not.toHaveCount(0);
});
