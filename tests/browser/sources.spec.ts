// Each figure says where its number comes from, and what it says is true: its formula, worked out again,
// and its field, looked up in the record, give the number that is drawn.
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { sourceStrings } from '../../web/src/text/sources/strings';
import { openRun } from './support/page';
import { expect, TINY, test } from './support/site';
import { type Answer, askAll, evaluate, numberIn } from './support/sources';

/** A run and its race, two prices, and every table open. */
async function openAll(page: Page, url: string, query: Record<string, string>): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openRun(page, url, query);
  await expect(page.locator('kv-question [data-weight]').first()).toBeVisible();
  await page.locator('[data-action=race]').click();
  await expect(page.locator('[data-action=race]')).toBeVisible({ timeout: 60_000 }); // it has ended
  await page.locator('[name=inputPrice]').fill('2');
  await page.locator('[name=outputPrice]').fill('10.5');
  const tables = await page.locator(':is(kv-stage, kv-projections) summary').all();
  for (const summary of tables) await summary.click();
  await expect(page.locator('kv-projections [data-numbers] .figure')).not.toHaveCount(0);
}

/** Where the figures are; how many there are at least; the fields that stand alone, without a formula. */
const PLACES: [where: string, atLeast: number, noFormula: RegExp | null][] = [
  ['main', 16, /^model\.|\.ms$|^steps\.length$/],
  ['kv-stage', 5, /\.(id|p|ms|position)$/],
  ['kv-question', 20, /\.p$|\.scores\[\d+\]$|\.position$|^model\.headDim$/],
  ['kv-heads', 2, /^maps\[\d+\]\.weights/],
  ['kv-cache', 13, /\.kv\.tokens$/],
  ['kv-cost', 21, /\.ms$/],
  ['kv-projections', 25, /^looks.*\[\d+\]$|^matrices.*\.values\[\d+\]$|^model\./],
  ['kv-race', 12, /\.steps\.length$/],
  ['kv-calculator', 11, null],
];

function check(answer: Answer, noFormula: RegExp | null, lang: 'ko' | 'en'): void {
  const { value, recorded, formula, field, how } = answer;
  const said = JSON.stringify(answer);
  expect(Object.values(sourceStrings[lang].how), said).toContain(how.split(';')[0]);
  expect(numberIn(answer.result).value, said).toBeCloseTo(value, 2);
  if (recorded !== null) expect(value, said).toBeCloseTo(recorded, 9);
  if (formula) {
    const size = Math.max(0.01, Math.abs(value));
    expect(Math.abs(evaluate(formula) - value) / size, said).toBeLessThan(1e-4);
  } else if (value !== 0) expect(field, said).toMatch(noFormula ?? /^$/);
}

function checkDrawn({ drawn, value, ...others }: Answer): void {
  if (drawn.startsWith('<')) return; // < 1 ms: the clock ticked no finer
  const text = numberIn(drawn);
  const said = JSON.stringify({ drawn, value, ...others });
  expect(Math.abs(text.value - value), said).toBeLessThanOrEqual(text.within + 1e-9);
}

for (const [lang, prompt, src] of [
  ['en', 'the sea', TINY],
  ['ko', '바다 색깔은', ''],
] as const) {
  test(`every figure’s formula and its field in the record give the number that is drawn (${lang})`, async ({
    page,
    site,
  }) => {
    test.setTimeout(240_000); // some hundred figures, one after the other
    await openAll(page, site.url, { lang, prompt, max: '9', ...(src && { src }) });
    for (const [where, atLeast, noFormula] of PLACES) {
      const answers = await askAll(page, where);
      expect(answers.length, where).toBeGreaterThanOrEqual(atLeast);
      for (const answer of answers) {
        check(answer, noFormula, lang);
        checkDrawn(answer);
      }
    }
    // A plot has no text: it says where its lines end, and its axis.
    for (const where of ['kv-cache', 'kv-race']) {
      const answers = await askAll(page, where, '.plot');
      expect(answers, where).toHaveLength(3);
      for (const answer of answers) check(answer, /\.kv\.tokens$/, lang);
    }
  });
}

const card = (page: Page) => page.locator('.source-card');
const figure = (page: Page, of: string) => page.locator(`[data-figure=${of}] .figure`);

async function openFigures(page: Page, url: string, lang = 'en'): Promise<void> {
  await openRun(page, url, { lang, src: TINY, prompt: 'the sea', max: '9' });
  await expect(page.locator('kv-question [data-weight]').first()).toBeVisible();
}

test('by keyboard: the figures of a view are one stop, arrow keys go on, Escape closes, focus stays', async ({
  page,
  site,
}) => {
  await openFigures(page, site.url);
  await figure(page, 'input-tokens').focus();
  await page.keyboard.press('ArrowLeft'); // the first: there is none before it
  await page.keyboard.press('ArrowRight');
  const second = figure(page, 'output-tokens');
  await expect(second).toBeFocused();
  await expect(card(page)).toContainText('Worked out from the record of this run');
  await expect(card(page)).toContainText('Arrow keys');
  await expect(second).toHaveAccessibleDescription(/tokens/);
  await page.keyboard.press('ArrowDown');
  await expect(figure(page, 'input-ms')).toBeFocused();
  await expect(card(page)).toContainText('Timed by the engine in this run');
  await page.keyboard.press('Escape');
  await expect(card(page)).toHaveCount(0);
  await expect(figure(page, 'input-ms')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(card(page)).toBeVisible();
  // One stop of Tab: back out, and in again where one was.
  await page.mouse.move(0, 0); // or the page scrolls another figure under it
  await page.keyboard.press('Tab');
  await expect(card(page)).toHaveCount(0);
  await page.keyboard.press('Shift+Tab');
  await expect(figure(page, 'input-ms')).toBeFocused();
});

test('by keyboard on the axis: Enter says where the numbers of the chosen token come from', async ({
  page,
  site,
}) => {
  await openFigures(page, site.url);
  await page.locator('kv-stage .axis').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(card(page)).toContainText('steps[8].p');
  await expect(card(page)).toContainText('steps[8].id');
});

test('by pointer: hovering opens a card that can be pointed at, leaving closes it; one card at a time', async ({
  page,
  site,
}) => {
  await openFigures(page, site.url);
  await expect(async () => {
    await page.mouse.move(0, 0);
    await figure(page, 'output-macs').hover(); // the page may still be scrolling to it
    await expect(card(page)).toContainText('the formula gives the same', { timeout: 2000 });
  }).toPass();
  await card(page).hover();
  await page.waitForTimeout(400); // longer than a pointer may take from the figure to its card
  await expect(card(page)).toBeVisible();
  await page.mouse.move(0, 0);
  await expect(card(page)).toHaveCount(0);

  await figure(page, 'output-macs').click();
  await figure(page, 'kv-bytes').click();
  await expect(card(page)).toHaveCount(1);
  await expect(card(page)).toContainText('kv.bytes');
  await page.locator('#cost-title').click();
  await expect(card(page)).toHaveCount(0);
});

test('a card follows its figure while the run goes on, and moves nothing', async ({
  page,
  site,
}) => {
  await openFigures(page, site.url);
  const heights = () =>
    page.evaluate(() => [
      document.documentElement.scrollHeight,
      ...[...document.querySelectorAll('section')].map(({ offsetTop }) => offsetTop),
    ]);
  await figure(page, 'kv-bytes').click();
  await expect(card(page)).toContainText('steps[8].kv.bytes');
  const open = await heights();
  await page.keyboard.press('Escape');
  expect(await heights()).toEqual(open);
  await figure(page, 'kv-bytes').click();
  await page.locator('kv-cache').evaluate((element) => Object.assign(element, { frame: 3 }));
  await expect(card(page)).toContainText('steps[1].kv.bytes');
});

test('the figures of the element’s own line answer as well, of the run that it has made', async ({
  harness,
}) => {
  await harness.evaluate((src) => {
    addEventListener('kv-done', ({ detail }: CustomEventInit) => Object.assign(window, { detail }));
    document.body.innerHTML = `<kv-scope src="${src}" prompt="the sea" max-tokens="40" lang="en"></kv-scope>`;
  }, TINY);
  const scope = harness.locator('kv-scope');
  await scope.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(scope).toHaveAttribute('data-state', 'done');
  const bytes = await harness.evaluate(() => {
    const { detail } = window as unknown as { detail: { steps: { kv: { bytes: number } }[] } };
    return detail.steps.at(-1)!.kv.bytes;
  });
  const figures = scope.locator('.line .figure');
  await figures.first().click();
  await expect(card(harness).locator('section')).toHaveAttribute('data-value', String(bytes));
  await expect(card(harness)).toContainText('the formula gives the same');
  await figures.nth(1).click();
  await expect(card(harness)).toContainText('Worked out from the record of this run');
  await harness.keyboard.press('Escape');
  await expect(card(harness)).toHaveCount(0);
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, viewport: { width: 360, height: 740 } });

  for (const [lang, colorScheme] of [
    ['ko', 'dark'],
    ['en', 'light'],
  ] as const) {
    test(`a tap opens the card within the window, a second one closes it; axe finds nothing with it open (${lang}, ${colorScheme})`, async ({
      page,
      site,
    }) => {
      await page.emulateMedia({ colorScheme });
      await openFigures(page, site.url, lang);
      for (const name of ['input-macs', 'output-intensity', 'kv-bytes', 'q-bytes']) {
        await figure(page, name).tap();
        await expect(card(page)).toBeVisible();
        const box = (await card(page).boundingBox())!;
        expect(box.x).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(360);
        await figure(page, name).tap();
        await expect(card(page)).toHaveCount(0);
      }
      await figure(page, 'output-macs').tap();
      const { violations } = await new AxeBuilder({ page }).include('kv-cost').analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    });
  }
});

test('the words of the cards are whole in both languages', () => {
  const shape = (node: unknown): unknown =>
    typeof node === 'object'
      ? Object.fromEntries(Object.entries(node!).map(([key, value]) => [key, shape(value)]))
      : typeof node;
  expect(shape(sourceStrings.ko)).toEqual(shape(sourceStrings.en));
  const { ko, en } = sourceStrings;
  for (const key of Object.keys(en.how) as (keyof typeof en.how)[]) {
    expect(ko.how[key]).toMatch(/[가-힣]/);
    expect(en.how[key]).not.toMatch(/[가-힣]/);
  }
});
