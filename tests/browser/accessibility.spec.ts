// What axe can find, in each state of the page, in both colour schemes and at phone width.
import AxeBuilder from '@axe-core/playwright';
import { openPage } from './support/page';
import { expect, TINY, test } from './support/site';

const STATES: [name: string, colorScheme: 'light' | 'dark', width: number, lang: string][] = [
  ['light, wide, Korean', 'light', 1280, 'ko'],
  ['dark, phone, English', 'dark', 360, 'en'],
];

for (const [name, colorScheme, width, lang] of STATES) {
  test(`axe finds nothing after a run with everything open (${name})`, async ({ page, site }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    await openPage(page, site.url, { lang, src: TINY });
    for (const details of await page.locator('details').all()) {
      if ((await details.getAttribute('open')) === null) await details.locator('> summary').click();
    }
    await page.locator('[aria-controls=model-chooser]').click();
    await page.locator('#prompt').fill('바다 색깔은');
    await page.locator('[data-action=run]').click();
    await expect(page.locator('.run-state')).toContainText(/128|token limit|끝냈|ended/);
    await page.locator('#model-url').fill('/test-files/none.gguf');
    await page.locator('form.url button').click();
    await expect(page.getByRole('alert')).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
  });
}

test('the page fits a 360 px phone: nothing scrolls sideways but the token rows', async ({
  page,
  site,
}) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await openPage(page, site.url, { lang: 'ko', src: TINY });
  await page.locator('#prompt').fill('바다 색깔은');
  await page.locator('[data-action=run]').click();
  await expect(page.locator('[data-row=output] .chip').nth(20)).toBeVisible();
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect(scroll).toBe(client);
});

test('the whole run can be done with the keyboard alone, and the focus is always to be seen', async ({
  page,
  site,
}) => {
  await openPage(page, site.url, { lang: 'en', src: TINY });
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the prompt' })).toBeFocused();
  const atPrompt = () =>
    page.evaluate(() => document.activeElement === document.querySelector('#prompt'));
  for (let stops = 1; !(await atPrompt()); stops++) {
    expect(stops).toBeLessThan(12);
    const outline = await page.evaluate(
      () => getComputedStyle(document.activeElement!).outlineStyle,
    );
    expect(outline).not.toBe('none');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Control+A');
  await page.keyboard.type('the sea');
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-row=output] .chip').first()).toBeVisible();
});

test('the skip link leads to the prompt', async ({ page, site }) => {
  await openPage(page, site.url, { lang: 'en', src: TINY });
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.locator('#prompt')).toBeFocused();
});
