// The model that comes with the page, on the article's own example.
import { expect, test } from './support/site';

test('바다 색깔은 is three tokens and goes on with 파랗다, a full stop and END, in the page as it opens', async ({
  page,
  site,
}) => {
  await page.goto(`${site.url}index.html?lang=ko`);
  await expect(page.locator('.facts')).toBeVisible();
  await page.locator('[data-action=run]').click();
  await expect(page.locator('[data-row=prompt] .chip-text')).toHaveText([
    '<s>',
    '바다',
    '색깔',
    '은',
  ]);
  await expect(page.locator('[data-row=output] .chip-text')).toHaveText(['파랗다', '.', 'END']);
  await expect(page.locator('.running-text')).toHaveText('바다 색깔은 파랗다.');
});

test('the embed example runs the same model, in Korean and in English', async ({ page, site }) => {
  await page.goto(`${site.url}embed.html`);
  for (const element of await page.locator('kv-scope').all()) {
    await element.scrollIntoViewIfNeeded();
    await expect(element).toHaveAttribute('data-state', 'ready');
    await element.getByRole('button').click();
    await expect(element).toHaveAttribute('data-state', 'done');
  }
  await expect(page.locator('kv-scope').nth(0).locator('.chip.output')).toHaveText([
    '파랗다',
    '.',
    'END',
  ]);
  await expect(page.locator('kv-scope').nth(1).locator('.chip.output')).toHaveText([
    'blue',
    '.',
    'END',
  ]);
});
