// The page: nothing jumps while it loads, while tokens stream, and from step to step, at any place a reader may look at.
import type { Page } from '@playwright/test';
import { openPage } from './support/page';
import { MAX_SHIFT, shifts, watchShifts } from './support/shifts';
import { expect, test } from './support/site';

test.use({ trace: 'off' });

const VIEWS = ['stage', 'question', 'cache', 'cost', 'projections', 'race'];

/** By the element's own method: what moves soon after a real click is excused. */
const press = (page: Page, action: string) =>
  page.locator(`[data-action=${action}]`).evaluate((button) => (button as HTMLElement).click());

const idle = (page: Page) => expect(page.locator('main')).toHaveAttribute('data-phase', 'idle');

async function watchRun(page: Page): Promise<void> {
  await press(page, 'run');
  await idle(page);
  await expect(page.locator('kv-question [data-weight]').first()).toBeVisible();
}

/** From nothing, a few tokens one by one, and on to the end. */
async function watchSteps(page: Page): Promise<void> {
  await press(page, 'reset');
  for (let i = 0; i < 3; i++) {
    await press(page, 'step-token');
    await page.waitForTimeout(150);
  }
  await press(page, 'play');
  await idle(page);
}

async function watchRace(page: Page): Promise<void> {
  await press(page, 'race');
  await expect(page.locator('kv-race [data-lap=uncached] [data-figure=total]')).not.toHaveText('–');
  await expect(page.locator('[data-action=race]')).toBeVisible({ timeout: 60_000 }); // both runs, on a busy machine
}

for (const [lang, width] of [
  ['ko', 1280],
  ['en', 360],
] as const)
  test(`nothing jumps on the page while it loads, runs and steps, whichever view is looked at (${lang}, ${width} px)`, async ({
    page,
    site,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await watchShifts(page);
    await openPage(page, site.url, { lang });
    const loading = (await shifts(page)).score;
    await watchRun(page); // at the prompt
    for (const view of VIEWS) {
      await page
        .locator(`kv-${view}`)
        .evaluate((element) => element.scrollIntoView({ block: 'center' }));
      await watchSteps(page);
      if (view === 'race') await watchRace(page);
      await page.waitForTimeout(300); // a view out of sight is drawn a little later
    }
    const { score, moved, inside } = await shifts(page);
    const description = `layout shift ${score.toFixed(4)}, of it while loading ${loading.toFixed(4)}`;
    test.info().annotations.push({ type: 'measured', description });
    expect(score, [...moved, ...inside].join('\n')).toBeLessThanOrEqual(MAX_SHIFT);
  });
