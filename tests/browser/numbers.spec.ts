// The numbers beside the stage: cache, cost, and the cache of models that do not fit here.
import type { Page } from '@playwright/test';
import { kvBytes, layerMacs } from './support/formulas';
import { openRun } from './support/page';
import { expect, REAL_MODEL, TINY, test } from './support/site';
import { SHAPE } from './support/tiny-llama';

const NINE_TOKENS = { lang: 'en', src: TINY, prompt: 'the sea', max: '9', 'ignore-eos': '1' };

test('the cache at other element types and without grouping follows the formula', async ({
  page,
  site,
}) => {
  await openRun(page, site.url, NINE_TOKENS);
  const tokens = 3 + 8;
  for (const [type, bytes] of [
    ['f32', 4],
    ['f16', 2],
  ] as const) {
    const cells = page.locator(`kv-cache tr[data-type=${type}] td`);
    const kb = (n: number) => `${(n / 1000).toPrecision(3)} KB`;
    await expect(cells.nth(0)).toHaveText(kb(kvBytes(SHAPE, bytes, tokens)));
    const ungrouped = { ...SHAPE, kvHeads: SHAPE.heads };
    await expect(cells.nth(1)).toHaveText(kb(kvBytes(ungrouped, bytes, tokens)));
  }
});

test('decode does fewer MACs for each byte that it reads than prefill; the cost per token is the formula’s', async ({
  page,
  site,
}) => {
  await openRun(page, site.url, NINE_TOKENS);
  const figure = (name: string) => page.locator(`[data-figure=${name}]`).textContent();
  const [input, output] = [
    Number(await figure('input-intensity')),
    Number(await figure('output-intensity')),
  ];
  expect(input).toBeGreaterThan(2 * output); // three tokens share one reading of the weights
  const macs = await page.locator('kv-cost').evaluate((element) => {
    const { run } = element as unknown as {
      run: { steps: { macs: number }[]; model: { vocabSize: number } };
    };
    return { steps: run.steps.map((step) => step.macs), vocabSize: run.model.vocabSize };
  });
  const head = SHAPE.dim * macs.vocabSize;
  expect(macs.steps).toEqual([
    0,
    ...Array.from({ length: 8 }, (_, i) => layerMacs(SHAPE, 3 + i, 4 + i) + head),
  ]);
});

test('a price typed in gives the price of this run', async ({ page, site }) => {
  await openRun(page, site.url, NINE_TOKENS);
  await page.locator('[name=inputPrice]').fill('2');
  await page.locator('[name=outputPrice]').fill('10');
  const sum = Number(await page.locator('[data-figure=price]').getAttribute('data-value'));
  expect(sum).toBeCloseTo((3 * 2 + 9 * 10) / 1e6, 12);
});

const total = async (page: Page, type: string) =>
  Number(await page.locator(`kv-calculator tr[data-type=${type}]`).getAttribute('data-bytes'));

test('the calculator: a preset, a typed shape and both sliders follow the formula', async ({
  page,
  site,
}) => {
  await page.goto(`${site.url}index.html?lang=en&src=/test-files/tiny.gguf`);
  await page.locator('[name=preset]').selectOption({ label: 'Llama 3.1 8B' });
  await expect(page.locator('kv-calculator')).toContainText('meta-llama/Llama-3.1-8B');
  // 128 KiB a token: 2 × 32 × 8 × 128 × 2.
  expect(await total(page, 'f16')).toBe(131_072 * 8192);
  await page.locator('kv-calculator [name=tokens]').fill('10');
  await page.locator('kv-calculator [name=batch]').fill('3');
  expect(await total(page, 'f16')).toBe(131_072 * 1024 * 8);
  expect(await total(page, 'q4_0')).toBe((131_072 / 2) * (18 / 32) * 1024 * 8);
  await page.locator('kv-calculator [name=kvHeads]').fill('32');
  await page.locator('kv-calculator [name=kvHeads]').blur();
  expect(await total(page, 'f16')).toBe(4 * 131_072 * 1024 * 8);
  await expect(page.locator('kv-calculator')).toContainText('Shape as typed in');
});

test('the calculator reads a shape from the head of a GGUF by URL, a few hundred KB of it, and from a file', async ({
  page,
  site,
}) => {
  await page.goto(`${site.url}index.html?lang=en&src=/test-files/tiny.gguf`);
  await page.locator('kv-calculator [name=url]').fill(REAL_MODEL);
  await page.getByRole('button', { name: 'Read header' }).click();
  await expect(page.locator('kv-calculator')).toContainText('Shape from the header of');
  await expect(page.locator('kv-calculator [name=layers]')).toHaveValue('30');
  await expect(page.locator('kv-calculator [name=kvHeads]')).toHaveValue('3');
  expect(await total(page, 'f16')).toBe(2 * 30 * 3 * 64 * 2 * 8192);
  expect(site.log.filter(({ path }) => path === REAL_MODEL).length).toBeLessThanOrEqual(2);

  const tiny = await page.evaluate(async () => {
    const file = await fetch('/test-files/tiny.gguf');
    return Array.from(new Uint8Array(await file.arrayBuffer()));
  });
  const file = (name: string, bytes: number[]) => ({
    name,
    mimeType: '',
    buffer: Buffer.from(bytes),
  });
  await page.locator('kv-calculator [name=gguf]').setInputFiles(file('mine.gguf', tiny));
  await expect(page.locator('kv-calculator')).toContainText('header of mine.gguf');
  expect(await total(page, 'f32')).toBe(kvBytes(SHAPE, 4, 8192));

  for (const [bytes, why] of [
    [[1, 2, 3, 4, 5, 6, 7, 8], 'not a GGUF file'],
    [tiny.slice(0, 60), 'end before'],
  ] as const) {
    await page.locator('kv-calculator [name=gguf]').setInputFiles(file('bad.gguf', [...bytes]));
    await expect(page.locator('kv-calculator').getByRole('alert')).toContainText(why);
  }
});
