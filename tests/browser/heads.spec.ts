// The map of all heads: what each cell draws is what the engine gives for that head.
import fs from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { openPage, openRun } from './support/page';
import { expect, TINY, test } from './support/site';
import { SHAPE } from './support/tiny-llama';

const cells = (page: Page) => page.locator('kv-heads [role=gridcell][data-layer]');
const drawn = (page: Page) => page.locator('kv-heads [role=gridcell] path');
const cellOf = (page: Page, layer: number, head: number) =>
  page.locator(`kv-heads [data-layer="${layer}"][data-head="${head}"]`);

async function openMap(page: Page, url: string): Promise<void> {
  const query = { lang: 'en', src: TINY, prompt: 'the sea', max: '6', 'ignore-eos': '1' };
  await openRun(page, url, query);
  await expect(drawn(page)).toHaveCount(SHAPE.layers * SHAPE.heads);
}

/** Height of each bar, by its place; those too low to be seen are not drawn. */
async function heights(cell: Locator): Promise<Map<number, number>> {
  const path = (await cell.locator('path').getAttribute('d'))!;
  const bars = path.matchAll(/M([\d.]+) 1V([\d.]+)/g);
  return new Map(Array.from(bars, ([, x, y]) => [Math.floor(Number(x)), 1 - Number(y)]));
}

async function saveRun(page: Page): Promise<string> {
  const download = page.waitForEvent('download');
  await page.locator('[data-action=save-run]').click();
  return fs.readFileSync(await (await download).path(), 'utf8');
}

async function replay(page: Page, text: string): Promise<void> {
  const file = { name: 'run.json', mimeType: 'application/json', buffer: Buffer.from(text) };
  await page.locator('[name=replay]').setInputFiles(file);
  await expect(page.locator('kv-stage [data-row=output] .chip')).toHaveCount(6);
}

test('each cell draws the weights that the engine gives for its head, and they sum to 1', async ({
  page,
  site,
}) => {
  await openMap(page, site.url);
  const engine = await page.evaluate(
    async ({ layers, heads }) => {
      const { loadModel } = await import(`${location.origin}/kvscope.js`);
      const model = await loadModel('/test-files/tiny.gguf');
      const session = await model.createSession();
      const stage = document.querySelector('kv-stage') as unknown as {
        run: { prompt: { tokens: { id: number }[] }; steps: { id: number }[] };
      };
      const { prompt, steps } = stage.run;
      // The newest token has not been through the network: the one before it asks.
      const ids = [...prompt.tokens, ...steps].map(({ id }) => id).slice(0, -1);
      await session.prefill(ids);
      const all: { layer: number; head: number; weights: number[] }[] = [];
      for (let layer = 0; layer < layers; layer++) {
        for (let head = 0; head < heads; head++) {
          const { weights } = await session.inspect({ layer, head, position: ids.length - 1 });
          all.push({ layer, head, weights: Array.from(weights as Float32Array) });
        }
      }
      return all;
    },
    { layers: SHAPE.layers, heads: SHAPE.heads },
  );
  expect(engine).toHaveLength(SHAPE.layers * SHAPE.heads);
  const tokens = await page.locator('kv-stage .chip .chip-text').allTextContents();
  for (const { layer, head, weights } of engine) {
    expect(weights).toHaveLength(8);
    expect(weights.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 5);
    const bars = await heights(cellOf(page, layer, head));
    for (const [position, weight] of weights.entries()) {
      expect(Math.abs((bars.get(position) ?? 0) - weight)).toBeLessThan(0.0021);
    }
    const most = Math.max(...weights);
    const [token, share] = [tokens[weights.indexOf(most)], (100 * most).toFixed(1)];
    await expect(cellOf(page, layer, head)).toHaveAttribute(
      'aria-label',
      `Layer ${layer}, head ${head}: [${token}] ${share} %`,
    );
  }
});

test('arrow keys and Enter choose a head, and the links that are drawn become its own', async ({
  page,
  site,
}) => {
  await openMap(page, site.url);
  const links = () =>
    page.locator('kv-stage').evaluate((stage) => {
      const canvas = stage.shadowRoot!.querySelector<HTMLCanvasElement>('.canvas canvas')!;
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, 110);
      return data.reduce((sum, value, i) => (sum * 31 + value * (i % 7)) % 1_000_003, 0);
    });
  const chosen = page.locator('kv-heads [aria-selected=true]');
  await expect(chosen).toHaveCount(1);
  await chosen.focus();
  const before = await links();
  // The last layer is on top, and head 0 is chosen.
  await page.keyboard.press('ArrowUp');
  await expect(cellOf(page, 1, 0)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await expect(cellOf(page, 0, 2)).toBeFocused();
  expect(await links()).toBe(before);
  await page.keyboard.press('Enter');
  await expect(cellOf(page, 0, 2)).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('kv-question [name=layer]')).toHaveValue('0');
  await expect(page.locator('kv-question [name=head]')).toHaveValue('2');
  await expect.poll(links).not.toBe(before);
  const bars = await heights(cellOf(page, 0, 2));
  const listed = await page
    .locator('kv-question [data-weight]')
    .evaluateAll((cells) => cells.map((cell) => Number((cell as HTMLElement).dataset.weight)));
  expect(listed).toHaveLength(8);
  for (const [i, weight] of listed.entries()) expect(bars.get(i) ?? 0).toBeCloseTo(weight, 2);
  // One stop of the Tab key, however many heads there are.
  await expect(page.locator('kv-heads [role=gridcell][tabindex="0"]')).toHaveCount(1);
});

test('a click chooses, pointing says layer, head and the heaviest token, and heads stand under their KV head', async ({
  page,
  site,
}) => {
  await openMap(page, site.url);
  await expect(page.locator('kv-heads .kv')).toHaveText(['KV 0', 'KV 1']);
  await cellOf(page, 1, 3).hover();
  const about = await cellOf(page, 1, 3).getAttribute('aria-label');
  await expect(page.locator('kv-heads .say')).toHaveText(about!);
  await cellOf(page, 1, 3).click();
  await expect(page.locator('kv-question [name=head]')).toHaveValue('3');
  const [kv, own] = [page.locator('kv-heads .kv span').nth(1), cellOf(page, 1, 2)];
  const [line, cell] = [(await kv.boundingBox())!, (await own.locator('.cell').boundingBox())!];
  expect(Math.abs(line.x - cell.x)).toBeLessThan(1);
});

test('the head that the model’s file names is marked', async ({ page, site }) => {
  await openRun(page, site.url, { lang: 'ko' });
  const { headLayer, headIndex } = await page.locator('kv-question').evaluate((element) => {
    const { run } = element as unknown as {
      run: { model: { headLayer: number; headIndex: number } };
    };
    return run.model;
  });
  await expect(page.locator('kv-heads td.proposed')).toHaveCount(1);
  await expect(cellOf(page, headLayer, headIndex)).toHaveClass(/proposed/);
});

test('heads are read when the run has ended, not with every token', async ({ page, site }) => {
  await openMap(page, site.url);
  const maps = () =>
    page.locator('kv-stage').evaluate((stage) => {
      const { run } = stage as unknown as { run: { maps: { position: number }[] } };
      return run.maps.map(({ position }) => position);
    });
  expect(await maps()).toEqual([7]);
  await page.locator('[name=scrub]').fill('3');
  await expect.poll(maps).toEqual([7, 3]);
  await expect(drawn(page)).toHaveCount(SHAPE.layers * SHAPE.heads);
});

test('a replayed run draws the map that was read, and says of another moment that none was', async ({
  page,
  site,
}) => {
  await openMap(page, site.url);
  const before = await heights(cellOf(page, 1, 1));
  const text = await saveRun(page);
  await openPage(page, site.url, { lang: 'en' }); // the built-in model, another one
  await replay(page, text);
  await expect(drawn(page)).toHaveCount(SHAPE.layers * SHAPE.heads);
  expect(await heights(cellOf(page, 1, 1))).toEqual(before);
  await page.locator('[name=scrub]').fill('2');
  await expect(page.locator('kv-heads .say')).toContainText('has not read all heads');
  await expect(drawn(page)).toHaveCount(0);
});

test('a map of many heads is folded away on a phone, and opens', async ({ page, site }) => {
  await openMap(page, site.url);
  const run = JSON.parse(await saveRun(page));
  Object.assign(run.model, { layers: 30 });
  await page.setViewportSize({ width: 360, height: 780 });
  await page.reload();
  await expect(page.locator('.facts')).toBeVisible();
  await expect(cells(page)).toHaveCount(SHAPE.layers * SHAPE.heads); // few: open here too
  await replay(page, JSON.stringify(run));
  await expect(cells(page)).toHaveCount(0);
  await page.locator('kv-heads summary').click();
  await expect(cells(page)).toHaveCount(30 * SHAPE.heads);
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBe(360);
});
