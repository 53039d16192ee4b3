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

const violationsOf = async (builder: AxeBuilder) => {
  const { violations } = await builder.analyze();
  return violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
};

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

test('axe finds nothing in the reference around its elements', async ({ page, site }) => {
  await page.goto(`${site.url}docs.html?lang=ko`);
  await expect(page.locator('kv-scope').first()).toBeVisible();
  expect(await violationsOf(new AxeBuilder({ page }).exclude('kv-scope'))).toEqual([]);
});

const ofKind = (kind: string) => `section[id^="${kind}-"]`;
const drawsView = ':has(kv-scope[view])';
/** A page each: elements that have run go on living, and thirty of them slow down whatever comes after. */
const PARTS: [name: string, sections: string][] = [
  ['views', ofKind('attributes') + drawsView],
  ['other attributes', `${ofKind('attributes')}:not(${drawsView})`],
  ...['properties', 'events', 'slots', 'parts', 'customProperties'].map(
    (kind): [string, string] => [kind, ofKind(kind)],
  ),
];

for (const [name, sections] of PARTS)
  test(`each element of the reference runs, or fails where its line says so; axe finds nothing (${name})`, async ({
    page,
    site,
  }) => {
    test.setTimeout(240_000); // one run after the other, two of them without a cache
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(`${site.url}docs.html?lang=ko`);
    const scopes = page.locator(sections).locator('kv-scope');
    await expect(scopes).not.toHaveCount(0);
    for (const scope of await scopes.all()) {
      await scope.scrollIntoViewIfNeeded();
      const fails = (await scope.getAttribute('src'))?.startsWith('no-such');
      await scope.evaluate((element) => (element as HTMLElement & { run(): void }).run());
      await expect(scope).toHaveAttribute('data-state', fails ? 'error' : 'done');
    }
    if (name === 'events')
      for (const output of await page.locator(`${sections} > output`).all())
        await expect(output).toContainText(/: [1-9]/);
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    expect(scrollWidth).toBe(clientWidth);
    expect(await violationsOf(new AxeBuilder({ page }).include(sections))).toEqual([]);
  });
