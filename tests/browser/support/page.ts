// What several tests of the page do to it.
import type { Page } from '@playwright/test';
import { expect } from './site';

export const finished = (page: Page) =>
  expect(page.locator('main')).toHaveAttribute('data-phase', 'idle');

/** Makes the runs to come go on for exactly so many tokens. */
export async function setLength(page: Page, tokens: number): Promise<void> {
  await page.getByText('Settings').click();
  await page.locator('[name=maxTokens]').fill(String(tokens));
  await page.locator('[name=maxTokens]').blur();
  await page.getByLabel('Go on past the end token').check();
}
