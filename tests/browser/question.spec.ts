// The question of a step: what is drawn of one head is what the engine computed there.
import type { Page } from '@playwright/test';
import { openRun } from './support/page';
import { expect, test } from './support/site';

const scrub = (page: Page, frame: number) => page.locator('[name=scrub]').fill(String(frame));

const weights = (page: Page) =>
  page
    .locator('kv-question [data-weight]')
    .evaluateAll((cells) => cells.map((cell) => Number((cell as HTMLElement).dataset.weight)));

test('the weights of every head sum to 1, over as many keys as are in the cache', async ({
  page,
  site,
}) => {
  await openRun(page, site.url, { lang: 'ko' });
  for (const [frame, keys] of [
    [1, 4],
    [3, 5],
  ] as const) {
    await scrub(page, frame);
    for (const head of ['0', '3']) {
      await page.locator('kv-question [name=head]').selectOption(head);
      await expect(page.locator('kv-question [data-weight]')).toHaveCount(keys);
      const sum = (await weights(page)).reduce((a, b) => a + b, 0);
      expect(sum).toBeCloseTo(1, 5);
    }
  }
});

test('weights, scores and candidates are those that the engine gives for the same pass', async ({
  page,
  site,
}) => {
  await openRun(page, site.url, { lang: 'ko' });
  await scrub(page, 1);
  await expect(page.locator('kv-question [data-weight]')).toHaveCount(4);
  const layer = Number(await page.locator('kv-question [name=layer]').inputValue());
  const head = Number(await page.locator('kv-question [name=head]').inputValue());
  const engine = await page.evaluate(
    async ({ layer, head }) => {
      const { loadModel } = await import(`${location.origin}/kvscope.js`);
      const model = await loadModel();
      const session = await model.createSession();
      const { top } = await session.prefill('바다 색깔은');
      const { weights } = await session.inspect({ layer, head, position: 3 });
      return { weights: Array.from(weights as Float32Array), top: top as { p: number }[] };
    },
    { layer, head },
  );
  const shown = await weights(page);
  for (const [i, weight] of engine.weights.entries()) expect(shown[i]).toBeCloseTo(weight, 6);
  const candidates = await page
    .locator('kv-question .candidates li')
    .evaluateAll((items) => items.map((item) => Number((item as HTMLElement).dataset.p)));
  for (const [i, p] of candidates.entries()) expect(p).toBeCloseTo(engine.top[i]!.p, 6);
});

test('a pass makes layers × heads × head size × 4 bytes of Q, and none of it is kept', async ({
  page,
  site,
}) => {
  await openRun(page, site.url, { lang: 'ko' });
  const { layers, heads, headDim } = await page.locator('kv-question').evaluate((element) => {
    const { run } = element as unknown as {
      run: { model: { layers: number; heads: number; headDim: number } };
    };
    return run.model;
  });
  const perToken = layers * heads * headDim * 4;
  const bytes = (n: number) => `${n.toLocaleString('ko')} B`;
  await scrub(page, 1);
  await expect(page.locator('[data-figure=q-bytes]')).toHaveText(bytes(4 * perToken));
  await scrub(page, 3);
  await expect(page.locator('[data-figure=q-bytes]')).toHaveText(bytes(perToken));
  await expect(page.locator('[data-figure=q-bytes-sum]')).toHaveText(bytes(5 * perToken));
});

test('the page finds the head that looks hardest at one earlier token', async ({ page, site }) => {
  await openRun(page, site.url, { lang: 'ko' });
  await scrub(page, 1);
  await page.locator('kv-question [name=layer]').selectOption('2');
  await page.locator('[data-action=propose]').click();
  await expect(page.locator('kv-question')).toContainText('가장 세게 보는');
  await expect(page.locator('kv-question [data-weight]')).toHaveCount(4);
  const [, first, second] = await weights(page);
  expect(Math.max(first!, second!)).toBeGreaterThan(0.9);
});
