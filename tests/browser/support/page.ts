// What several tests of the page do to it.
import type { Page } from '@playwright/test';
import { expect } from './site';

/** The page, with the model loaded that the query names: the built-in one where it names none. */
export async function openPage(
  page: Page,
  url: string,
  query: Record<string, string>,
): Promise<void> {
  await page.goto(`${url}index.html?${new URLSearchParams(query)}`);
  await expect(page.locator('.facts')).toBeVisible();
}

/** The page after a run of the prompt that it was opened with. */
export async function openRun(
  page: Page,
  url: string,
  query: Record<string, string>,
): Promise<void> {
  await openPage(page, url, query);
  await page.locator('[data-action=run]').click();
  await finished(page);
}

/** The run has ended, and every view has drawn it: one that is out of sight draws later than the others. */
export async function finished(page: Page): Promise<void> {
  await expect(page.locator('main')).toHaveAttribute('data-phase', 'idle');
  await page.evaluate(() =>
    Promise.all(
      Array.from(document.querySelectorAll('*'), (element) =>
        'updateComplete' in element ? element.updateComplete : null,
      ),
    ),
  );
}

/** Makes the runs to come go on for exactly so many tokens. */
export async function setLength(page: Page, tokens: number): Promise<void> {
  await page.getByText('Settings').click();
  await page.locator('[name=maxTokens]').fill(String(tokens));
  await page.locator('[name=maxTokens]').blur();
  await page.getByLabel('Go on past the end token').check();
}
