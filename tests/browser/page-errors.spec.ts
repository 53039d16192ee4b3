// Each thing that can go wrong gives its own clear error, and the page then works with a good file.
import type { Page } from '@playwright/test';
import { openPage } from './support/page';
import { expect, TINY, test } from './support/site';

async function worksNow(page: Page): Promise<void> {
  if ((await page.locator('#model-chooser').count()) === 0) {
    await page.getByRole('button', { name: 'Change model' }).click();
  }
  await page.getByLabel('GGUF by URL').fill(TINY);
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await expect(page.locator('.facts')).toContainText('tiny random llama');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.locator('#prompt').fill('the sea');
  await page.locator('[data-action=run]').click();
  await expect(page.locator('[data-row=output] .chip').first()).toBeVisible();
}

const CASES: [what: string, source: string, code: string, words: string][] = [
  ['a truncated file', '/test-files/truncated.gguf', 'truncated', 'ends too early'],
  ['a file that is HTML', '/test-files/page.gguf', 'not-gguf', 'not a GGUF file'],
  [
    'an unknown architecture',
    '/test-files/unknown-architecture.gguf',
    'unsupported-architecture',
    'kind of model',
  ],
  ['a 404', '/test-files/none.gguf', 'http', 'answered with an error'],
  ['a server that is not there', 'http://127.0.0.1:9/m.gguf', 'network', 'could not be fetched'],
];

for (const [what, source, code, words] of CASES) {
  test(`${what}: “${code}” is said in words, then a good file works`, async ({ page, site }) => {
    await page.goto(`${site.url}index.html?lang=en&src=${encodeURIComponent(source)}`);
    const alert = page.getByRole('alert');
    await expect(alert).toHaveAttribute('data-error', code);
    await expect(alert).toContainText(words);
    await worksNow(page);
  });
}

test('errors are said in Korean on the Korean page', async ({ page, site }) => {
  await page.goto(`${site.url}index.html?lang=ko&src=/test-files/page.gguf`);
  await expect(page.getByRole('alert')).toContainText('GGUF 파일이 아닙니다.');
});

test('offline: the page says so, a retry works when the network is back', async ({
  page,
  context,
  site,
}) => {
  await openPage(page, site.url, { lang: 'en', src: TINY });
  await context.setOffline(true);
  await expect(page.getByText('This device is offline')).toBeVisible();
  await page.getByRole('button', { name: 'Change model' }).click();
  await page.getByLabel('GGUF by URL').fill('/test-files/other.gguf');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await expect(page.getByRole('alert')).toHaveAttribute('data-error', 'network');
  // The model that was there keeps working.
  await page.locator('#prompt').fill('the sea');
  await page.locator('[data-action=run]').click();
  await expect(page.locator('[data-row=output] .chip').first()).toBeVisible();
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await worksNow(page);
});

test('a prompt longer than the context says both numbers, and a shorter one runs', async ({
  page,
  site,
}) => {
  await openPage(page, site.url, { lang: 'en', src: TINY });
  await page.locator('#prompt').fill('the sea '.repeat(300));
  await page.locator('[data-action=run]').click();
  const alert = page.getByRole('alert');
  await expect(alert).toHaveAttribute('data-error', 'context-full');
  await expect(alert).toContainText('512');
  await page.locator('#prompt').fill('the sea');
  await page.locator('[data-action=run]').click();
  await expect(page.locator('[data-row=prompt] .chip-text')).toHaveText(['<s>', 'the', 'sea']);
  await expect(alert).toHaveCount(0);
});
