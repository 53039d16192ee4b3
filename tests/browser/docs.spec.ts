// The reference page: complete, and each of its elements at work.
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './support/site';

const source = fs.readFileSync(
  fileURLToPath(new URL('../../web/src/element/kv-scope.ts', import.meta.url)),
  'utf8',
);
/** The names that the element's own comment has after a tag such as @slot. */
const documented = (pattern: RegExp) =>
  [...source.matchAll(pattern)].map(([, name]) => name!).sort();

const KINDS: [kind: string, pattern: RegExp][] = [
  ['attributes', /@attr \{[^}]*\} ([\w-]+)/g],
  ['events', /@fires ([\w-]+)/g],
  ['slots', /@slot ([\w-]+)/g],
  ['parts', /@csspart ([\w-]+)/g],
  ['customProperties', /@cssproperty ([\w-]+)/g],
];

test('the reference has a live element for every attribute, event, slot, part and custom property', async ({
  page,
  site,
}) => {
  await page.goto(`${site.url}docs.html?lang=en`);
  for (const [kind, pattern] of KINDS) {
    const rows = page.locator(`section[id^="${kind}-"]`);
    const names = await rows.locator('h3').allTextContents();
    expect([...new Set(names)].sort()).toEqual(documented(pattern));
    await expect(rows.locator('kv-scope')).toHaveCount(names.length);
  }
});

test('each element of the reference runs, or fails where its line says so; axe finds nothing', async ({
  page,
  site,
}) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`${site.url}docs.html?lang=ko`);
  for (const scope of await page.locator('kv-scope').all()) {
    await scope.scrollIntoViewIfNeeded();
    const fails = (await scope.getAttribute('src'))?.startsWith('no-such');
    await scope.evaluate((element) => (element as HTMLElement & { run(): void }).run());
    await expect(scope).toHaveAttribute('data-state', fails ? 'error' : 'done');
  }
  for (const row of await page.locator('section[id^="events-"]').all())
    await expect(row.locator('output')).toContainText(/: [1-9]/);
  const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
  expect(scrollWidth).toBe(clientWidth);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
});
