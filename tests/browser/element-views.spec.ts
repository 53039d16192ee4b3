// view=: each view alone in an element, its drawing code fetched only there, its numbers those of the run.
import type { Page } from '@playwright/test';
import { expect, test } from './support/site';

const show = async (page: Page, view: string, tokens = 4) => {
  const html = `<kv-scope src="/test-files/tiny.gguf" prompt="the sea" view="${view}" max-tokens="${tokens}" lang="en"></kv-scope>`;
  await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), html);
  const scope = page.locator('kv-scope');
  await scope.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(scope).toHaveAttribute('data-state', 'done');
  return scope;
};

const VIEWS: [view: string, elements: string[], caption: RegExp][] = [
  ['full', ['kv-stage', 'kv-question', 'kv-projections'], /One column a token/],
  ['cache', ['kv-cache'], /same number of bytes/],
  ['attention', ['kv-question'], /is dropped/],
  ['projections', ['kv-projections'], /three matrices/],
  ['cost', ['kv-cost'], /Input cost and output cost/],
  ['race', ['kv-race'], /with the cache and without/],
];

for (const [view, elements, caption] of VIEWS) {
  test(`view="${view}" draws ${elements.join(', ')} under its caption, at a height kept from the start`, async ({
    harness,
  }) => {
    const scope = await show(harness, view);
    for (const element of elements) await expect(scope.locator(element)).toBeVisible();
    await expect(scope.locator('.caption')).toHaveText(caption);
    await expect(scope.locator('.chips')).toHaveCount(0);
    const height = (await scope.boundingBox())!.height;
    await harness.evaluate(() => document.querySelector('kv-scope')!.removeAttribute('src'));
    expect((await scope.boundingBox())!.height).toBe(height);
  });
}

test('the tokens view fetches no drawing code; another one fetches its own', async ({
  harness,
  site,
}) => {
  site.log.length = 0;
  const late = () => site.log.map(({ path }) => path).filter((path) => /^\/kvscope-/.test(path));
  await show(harness, 'tokens');
  expect(late()).not.toContain('/kvscope-cost.js');
  expect(late().some((path) => /base|stage|question/.test(path))).toBe(false);
  await harness.evaluate(() => document.querySelector('kv-scope')!.remove());
  await show(harness, 'cost');
  expect(late()).toContain('/kvscope-cost.js');
});

test('the cache view shows the bytes of the run', async ({ harness }) => {
  const scope = await show(harness, 'cache');
  // 3 prompt tokens and 3 of the 4 chosen: the last one enters with the step after it. 256 B a token.
  await expect(scope.locator('[data-figure="kv-bytes"]')).toHaveAttribute('data-bytes', '1536');
});

test('the attention view asks the engine once the run has ended', async ({ harness }) => {
  const scope = await show(harness, 'attention');
  await expect(scope.locator('kv-question .keys [data-weight]').first()).toBeVisible();
});

test('the race view races: both sides give max-tokens tokens, and the record has the second run', async ({
  harness,
}) => {
  const done = harness.evaluate(
    () =>
      new Promise<number>((resolve) =>
        document.addEventListener('kv-done', (event) =>
          resolve((event as CustomEvent).detail.uncached.steps.length),
        ),
      ),
  );
  const scope = await show(harness, 'race', 12);
  expect(await done).toBe(12);
  for (const lap of ['cached', 'uncached']) {
    await expect(scope.locator(`[data-lap="${lap}"] [data-figure="tokens"]`)).toHaveText('12');
  }
});

test('another view= draws the next run with that view', async ({ harness }) => {
  const scope = await show(harness, 'cost');
  await scope.evaluate((element) => element.setAttribute('view', 'cache'));
  await scope.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(scope.locator('kv-cache')).toBeVisible();
  await expect(scope.locator('kv-cost')).toHaveCount(0);
});
