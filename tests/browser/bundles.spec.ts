// A long sequence in pieces of 128 tokens: what they hold adds up, and they lead to their columns.
import AxeBuilder from '@axe-core/playwright';
import { kvBytes } from './support/formulas';
import { openRun } from './support/page';
import { expect, TINY, test } from './support/site';
import { askAll, evaluate } from './support/sources';
import { SHAPE } from './support/tiny-llama';

test('bundles of a long run add up to the cache and to the question’s weights, and lead to their tokens', async ({
  page,
  site,
}) => {
  const query = { lang: 'en', src: TINY, prompt: 'the sea', max: '290', 'ignore-eos': '1' };
  await openRun(page, site.url, query);
  const bundles = page.locator('kv-stage .bundle');
  // 3 tokens of the prompt and 290; the newest is not in the cache yet.
  await expect(bundles).toHaveCount(3);
  await expect(bundles.nth(1)).toHaveAccessibleName(
    /^Tokens 128–255: .* of this question’s weight$/,
  );
  const all = await bundles.evaluateAll((list) =>
    list.map((bundle) => ({ ...(bundle as HTMLElement).dataset })),
  );
  const sum = (name: string) => all.reduce((total, data) => total + Number(data[name]), 0);
  expect(all.map(({ from }) => from)).toEqual(['0', '128', '256']);
  expect(sum('bytes')).toBe(kvBytes(SHAPE, 2, 292));
  expect(sum('share')).toBeCloseTo(1, 5);

  const answers = await askAll(page, 'kv-stage', '.bundle');
  const told = (unit: RegExp) => answers.filter(({ result }) => unit.test(result));
  const [bytes, weights] = [told(/B$/), told(/%/)];
  for (const [i, { value, formula }] of bytes.entries()) {
    expect(value).toBe(Number(all[i]!.bytes));
    expect(evaluate(formula)).toBe(value);
  }
  for (const [i, { value, recorded }] of weights.entries()) {
    expect(value).toBe(Number(all[i]!.share));
    expect(recorded).toBeCloseTo(value, 9);
  }
  expect([bytes.length, weights.length]).toEqual([3, 3]);
  await page.locator('kv-stage .axis').evaluate((axis) => axis.scrollTo(axis.scrollWidth, 0));

  const { violations } = await new AxeBuilder({ page }).include('kv-stage').analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);

  const ids = page.locator('kv-stage .chip-id');
  await expect(bundles.nth(2)).toHaveAttribute('aria-current', 'true');
  await expect(ids.filter({ hasText: /^0·/ })).toHaveCount(0);
  await bundles.nth(0).click();
  await expect(bundles.nth(0)).toHaveAttribute('aria-current', 'true');
  await expect(ids.filter({ hasText: /^0·/ })).toBeInViewport();
  await bundles.nth(1).press('Enter');
  await expect(ids.filter({ hasText: /^128·/ })).toBeInViewport();
  // A shorter moment of the same run keeps the room, and needs no bundles.
  const top = () =>
    page.locator('kv-stage .legend').evaluate((legend) => (legend as HTMLElement).offsetTop);
  const before = await top();
  await page.locator('[name=scrub]').fill('20');
  await expect(bundles).toHaveCount(0);
  expect(await top()).toBe(before);
});
