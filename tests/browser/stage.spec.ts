// The stage draws what the engine reported, at every moment of a run.
import type { Page } from '@playwright/test';
import { kvBytes } from './support/formulas';
import { finished, openPage } from './support/page';
import { countShapes } from './support/shapes';
import { expect, TINY, test } from './support/site';
import { SHAPE } from './support/tiny-llama';

async function open(page: Page, url: string, prompt = 'the sea', tokens = 6): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const length = { max: String(tokens), 'ignore-eos': '1' };
  await openPage(page, url, { lang: 'en', src: TINY, prompt, ...length });
}

const scrub = (page: Page, frame: number) => page.locator('[name=scrub]').fill(String(frame));
const press = (page: Page, action: string) =>
  page.locator(`.transport [data-action=${action}]`).click();
const bytes = (page: Page) => page.locator('[data-figure=stage-bytes]');
const chips = (page: Page, row: 'prompt' | 'output') => page.locator(`[data-row=${row}] .chip`);

async function openFinished(page: Page, url: string) {
  await open(page, url);
  await press(page, 'play');
  await finished(page);
}

test('the grid has one K square and one V disc for each cached token and layer, at every moment', async ({
  page,
  site,
}) => {
  await openFinished(page, site.url);
  // Frame 1: <s> the sea. The first token needs no pass; then each pass adds one column.
  for (const [frame, cached] of [
    [0, 0],
    [1, 3],
    [2, 3],
    [3, 4],
    [7, 8],
  ] as const) {
    await scrub(page, frame);
    const { squares, discs } = await countShapes(page);
    expect([frame, squares, discs]).toEqual([frame, cached * SHAPE.layers, cached * SHAPE.layers]);
    await expect(bytes(page)).toHaveText(`${kvBytes(SHAPE, 2, cached).toLocaleString('en')} B`);
    await expect(chips(page, 'output')).toHaveCount(Math.max(0, frame - 1));
  }
});

test('the picture is kept while the stage has no width', async ({ page, site }) => {
  await openFinished(page, site.url);
  const [before, hidden] = await page.locator('kv-stage').evaluate(async (stage) => {
    const tiles = () => stage.shadowRoot!.querySelectorAll('canvas').length;
    const before = tiles();
    stage.style.display = 'none';
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    await (stage as HTMLElement & { updateComplete: Promise<unknown> }).updateComplete;
    return [before, tiles()];
  });
  expect(before).toBeGreaterThan(1);
  expect(hidden).toBe(before);
});

test('rows by KV head show one cell pair for each of them', async ({ page, site }) => {
  await openFinished(page, site.url);
  await page.getByRole('button', { name: 'Rows by KV head' }).click();
  const { squares, discs } = await countShapes(page);
  expect([squares, discs]).toEqual([
    8 * SHAPE.layers * SHAPE.kvHeads,
    8 * SHAPE.layers * SHAPE.kvHeads,
  ]);
});

test('the table beside the picture has the same pairs, and the passes’ costs add up to the run’s', async ({
  page,
  site,
}) => {
  await openFinished(page, site.url);
  await page.getByText('The picture as a table').click();
  const pairs = await page
    .locator('kv-stage [data-pairs]')
    .evaluateAll((cells) => cells.map((cell) => Number((cell as HTMLElement).dataset.pairs)));
  expect(pairs).toEqual([...Array(8).fill(SHAPE.layers * SHAPE.kvHeads), 0]);
});

test('step by step: prefill, then one token a press, then one layer a press', async ({
  page,
  site,
}) => {
  await open(page, site.url);
  await page.getByRole('button', { name: 'Step by step' }).click();
  await press(page, 'step-token');
  await expect(page.locator('.where')).toHaveText('1 of 1 · Prefill');
  await expect(chips(page, 'output')).toHaveCount(0);
  await press(page, 'step-token');
  await expect(chips(page, 'output')).toHaveCount(1);
  await press(page, 'step-token');
  await expect(chips(page, 'output')).toHaveCount(2);
  expect((await countShapes(page)).squares).toBe(4 * SHAPE.layers);
  // The fifth column's pass, layer by layer: SHAPE has two of them.
  await press(page, 'step-layer');
  await expect(chips(page, 'output')).toHaveCount(3);
  expect((await countShapes(page)).squares).toBe(4 * SHAPE.layers + 1);
  await press(page, 'step-layer');
  expect((await countShapes(page)).squares).toBe(5 * SHAPE.layers);
  await page.getByRole('button', { name: 'Real time' }).click();
  await finished(page);
  await expect(chips(page, 'output')).toHaveCount(6);
  await press(page, 'reset');
  await expect(chips(page, 'prompt')).toHaveCount(0);
});

test('pause holds the run, and it goes on from there', async ({ page, site }) => {
  await open(page, site.url, 'the sea', 40);
  await page.getByRole('button', { name: 'Slow' }).click();
  await press(page, 'play');
  await expect(chips(page, 'output').first()).toBeVisible();
  await press(page, 'pause');
  const held = await chips(page, 'output').count();
  await page.waitForTimeout(1200); // longer than a slow step
  expect(await chips(page, 'output').count()).toBe(held);
  await page.getByRole('button', { name: 'Real time' }).click();
  await finished(page);
  await expect(chips(page, 'output')).toHaveCount(40);
});

test('an exported run is replayed without the engine and looks the same', async ({
  page,
  site,
}) => {
  await openFinished(page, site.url);
  const before = await page.locator('kv-stage [data-row=output]').textContent();
  const download = page.waitForEvent('download');
  await press(page, 'save-run');
  const file = await (await download).path();

  await openPage(page, site.url, { lang: 'en', src: '/test-files/other.gguf' });
  await page.locator('[name=replay]').setInputFiles(file);
  await expect(chips(page, 'output')).toHaveCount(6);
  expect(await page.locator('kv-stage [data-row=output]').textContent()).toBe(before);
  await expect(bytes(page)).toHaveText(`${kvBytes(SHAPE, 2, 8).toLocaleString('en')} B`);
  await scrub(page, 3);
  expect((await countShapes(page)).squares).toBe(4 * SHAPE.layers);
});

test('a replayed run without its model says what was not recorded, how to see it, and what was', async ({
  page,
  site,
}) => {
  await openFinished(page, site.url);
  await expect(page.locator('kv-question [data-weight]')).not.toHaveCount(0);
  const first = await page.locator('kv-question [name=head]').inputValue();
  expect(first).not.toBe('3');
  await page.locator('kv-question [name=head]').selectOption('3');
  await expect(page.locator('kv-question .not-recorded')).toHaveCount(0);
  await page.waitForFunction(() => {
    const { run } = document.querySelector('kv-stage') as unknown as { run: { looks: unknown[] } };
    return run.looks.length >= 2;
  });
  const download = page.waitForEvent('download');
  await press(page, 'save-run');
  const file = await (await download).path();
  // Another model, of the same name and size.
  await openPage(page, site.url, { lang: 'en', src: '/test-files/other.gguf' });
  await page.locator('[name=replay]').setInputFiles(file);
  const question = page.locator('kv-question');
  // What was looked at last is on show.
  await expect(question.locator('[name=head]')).toHaveValue('3');
  await question.locator('[name=head]').selectOption('1');
  await expect(question.locator('.not-recorded')).toContainText('head 1');
  await expect(question.locator('.not-recorded')).toContainText('Load the model');
  await expect(page.locator('kv-projections .not-recorded')).toContainText('head 1');
  await question.getByRole('button', { name: /head 3$/i }).click();
  await expect(question.locator('.not-recorded')).toHaveCount(0);
  await expect(question.locator('[data-weight]')).not.toHaveCount(0);
  // Another moment, of which nothing was recorded.
  await scrub(page, 2);
  await expect(question.locator('.not-recorded')).toBeVisible();
});

test('a file that is no recorded run is refused with the reason', async ({ page, site }) => {
  await open(page, site.url);
  for (const [name, text, why] of [
    ['a.json', 'hello', 'not JSON'],
    ['b.json', '{"format":"other"}', 'format is not'],
    ['c.json', '{"format":"kvscope-run","version":1,"model":{}}', 'model.layers'],
  ] as const) {
    const file = { name, mimeType: 'application/json', buffer: Buffer.from(text) };
    await page.locator('[name=replay]').setInputFiles(file);
    await expect(page.getByRole('alert')).toContainText(why);
  }
});

test('arrow keys choose a column', async ({ page, site }) => {
  await openFinished(page, site.url);
  await page.locator('kv-stage .axis').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('kv-stage .chip.selected .chip-text')).toHaveText('the');
});
