// The race: two real runs of one prompt, with the cache and without.
import { layerMacs } from './support/formulas';
import { openPage } from './support/page';
import { expect, TINY, test } from './support/site';
import { SHAPE } from './support/tiny-llama';

test('both runs give the same tokens; their summed MACs are those of the formula, with the cache and without', async ({
  page,
  site,
}) => {
  await openPage(page, site.url, { lang: 'en', src: TINY, prompt: 'the sea' });
  await page.locator('[data-action=race]').click();
  await expect(page.locator('[data-action=race]')).toBeVisible(); // instead of Stop: it has ended
  await expect(page.locator('[data-figure=race-told]')).toContainText('All 64 tokens are the same');
  await expect(page.locator('[data-figure=race-told]')).toContainText('For token 50');
  const total = async (lap: string) =>
    Number(
      await page
        .locator(`kv-race [data-lap=${lap}] [data-figure=total]`)
        .getAttribute('data-value'),
    );
  // <s> the sea and 64 tokens, the last of them not passed through: 63 passes after the prefill.
  const prompt = 3;
  const vocabSize = await page.evaluate(async () => {
    const { loadModel } = await import(`${location.origin}/kvscope.js`);
    return (await loadModel('/test-files/tiny.gguf')).info.vocabSize as number;
  });
  const head = SHAPE.dim * vocabSize;
  const cached = layerMacs(SHAPE, 0, prompt + 63) + 64 * head;
  let uncached = 0;
  for (let tokens = prompt; tokens <= prompt + 63; tokens++) {
    uncached += layerMacs(SHAPE, 0, tokens) + head;
  }
  expect(await total('cached')).toBe(cached);
  expect(await total('uncached')).toBe(uncached);
});

test('a race can be stopped, keeps what it has, and the page goes on', async ({ page, site }) => {
  await openPage(page, site.url, { lang: 'en', src: TINY, prompt: 'the sea' });
  await page.locator('[name=race-tokens]').selectOption('448');
  await page.locator('[data-action=race]').click();
  await expect(page.locator('[data-figure=race-told]')).toContainText('times');
  await page.locator('[data-action=race-stop]').click();
  await expect(page.locator('[data-action=race]')).toBeVisible();
  const tokens = await page
    .locator('kv-race [data-lap=uncached] [data-figure=tokens]')
    .textContent();
  expect(Number(tokens)).toBeLessThan(448);
  await page.locator('[data-action=run]').click();
  await expect(page.locator('[data-row=output] .chip').first()).toBeVisible();
});
