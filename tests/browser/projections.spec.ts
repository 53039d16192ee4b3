// Where q, k and v come from: the arithmetic shown adds up to the engine's own numbers.
import type { Page } from '@playwright/test';
import type { StaticServer } from '../../build-scripts/serve.mjs';
import { openRun } from './support/page';
import { expect, TINY, test } from './support/site';

async function runTiny(page: Page, site: StaticServer): Promise<void> {
  await openRun(page, site.url, { lang: 'en', src: TINY, prompt: 'the sea' });
}

test('row × x adds up, product by product, to what the engine computed, for q, k and v', async ({
  page,
  site,
}) => {
  await openRun(page, site.url, { lang: 'en', prompt: '바다 색깔은' });
  const view = page.locator('kv-projections');
  await view.locator('[name=position]').fill('2');
  await view.locator('[name=position]').blur();
  await expect(view.locator('.name')).toHaveText('색깔');
  for (const name of ['q', 'k', 'v']) {
    await view.getByRole('button', { name, exact: true }).click();
    for (const row of ['0', '7']) {
      await view.locator('[name=row]').selectOption(row);
      await expect(view.locator('.sum')).toContainText(`${name}[${row}]`);
      const { sum, engine, products } = await view.locator('.sum').evaluate((line) => ({
        sum: Number((line as HTMLElement).dataset.sum),
        engine: Number((line as HTMLElement).dataset.engine),
        products: [...(line.getRootNode() as ShadowRoot).querySelectorAll('[data-product]')].map(
          (cell) => Number((cell as HTMLElement).dataset.product),
        ),
      }));
      expect(products.length).toBe(128);
      expect(products.reduce((a, b) => a + b, 0)).toBeCloseTo(sum, 9);
      // The engine multiplies 8-bit activations: within a few parts of 127 of the largest.
      expect(Math.abs(sum - engine)).toBeLessThan(0.02);
    }
  }
});

test('the matrices have their true shapes: W_K and W_V fewer rows than W_Q', async ({
  page,
  site,
}) => {
  await runTiny(page, site);
  const shape = (name: string) => page.locator(`[data-projection=${name}] .shape`).first();
  await expect(shape('q')).toContainText('64 × 64');
  await expect(shape('k')).toContainText('32 × 64');
  await expect(shape('v')).toContainText('32 × 64');
  for (const name of ['q', 'k', 'v']) {
    const matrix = page.locator(`[data-projection=${name}] .matrix canvas`);
    await expect(matrix).toHaveAttribute('data-rows', '16');
    await expect(matrix).toHaveAttribute('aria-label', /1,024 numbers/);
  }
});

test('x, q, k and v stand in numbers, those of the engine; and why the sum differs depends on the precision', async ({
  page,
  site,
}) => {
  await runTiny(page, site);
  const view = page.locator('kv-projections');
  await view.getByText('x, q, k and v in numbers').click();
  await expect(view.locator('[data-numbers=x] tbody tr')).toHaveCount(64);
  const rows = view.locator('[data-numbers="q, k, v"] tbody tr');
  await expect(rows).toHaveCount(16);
  const look = await view.evaluate((element) => {
    const { q, k } = (element as unknown as { look: { q: number[]; k: number[] } }).look;
    return { q, k };
  });
  const cells = await rows.nth(5).locator('td').allInnerTexts();
  const shown = cells.map((text) => Number(text.replace('−', '-')));
  expect(shown[0]).toBeCloseTo(look.q[5]!, 4);
  expect(shown[3]).toBeCloseTo(look.k[5]!, 4);
  await expect(view).toContainText('multiplies x as 8-bit numbers');
  await view.evaluate((element) => {
    const { run } = element as unknown as { run: { model: { precision: string } } };
    Object.assign(element, { run: { ...run, model: { ...run.model, precision: 'high' } } });
  });
  await expect(view).toContainText('not rounded to 8 bits');
});

test('a matrix with more numbers than pixels has its colours: the hue for positive, grey for negative, none for zero', async ({
  page,
  site,
}) => {
  await page.goto(`${site.url}index.html?lang=en`);
  await expect(page.locator('kv-question')).toBeVisible();
  const [positive, zero, negative, k, grey] = await page.evaluate(async () => {
    const values = Array.from({ length: 64 * 900 }, (_, i) => 1 - Math.floor((i % 900) / 300));
    const stripe = Object.assign(document.createElement('kv-stripe'), {
      hue: 'k',
      cols: 900,
      values,
    });
    stripe.style.width = '300px';
    document.body.append(stripe);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const canvas = stripe.shadowRoot!.querySelector('canvas')!;
    const at = (share: number) => {
      const x = Math.floor(share * canvas.width);
      return Array.from(canvas.getContext('2d')!.getImageData(x, 5, 1, 1).data);
    };
    const color = (name: string) => {
      canvas.style.color = `var(--_${name})`;
      return getComputedStyle(canvas).color.match(/\d+/g)!.map(Number);
    };
    return [at(1 / 6), at(1 / 2), at(5 / 6), color('k'), color('muted')];
  });
  expect(positive).toEqual([...k!, 255]);
  expect(zero![3]).toBe(0);
  expect(negative).toEqual([...grey!, 255]);
});
