// The guided tour, the link, and a prompt edited in the middle.
import type { Page } from '@playwright/test';
import { finished, openPage, openRun } from './support/page';
import { countShapes } from './support/shapes';
import { expect, TINY, test } from './support/site';

const next = (page: Page) => page.locator('[data-action=tour-next]').click();
const says = (page: Page) => page.locator('.tour > p');

test('the tour walks the six points on the article’s own example, and drives the picture', async ({
  page,
  site,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openPage(page, site.url, { lang: 'ko' });
  await page.locator('[data-action=tour]').click();
  await expect(says(page)).toContainText('[<s>] [바다] [색깔] [은]');
  await expect(page.locator('.where')).toContainText('토큰으로 나눔');
  expect((await countShapes(page)).squares).toBe(0);

  await next(page);
  await expect(says(page)).toContainText('토큰 4개가 한꺼번에');
  await expect(page.locator('.where')).toContainText('입력 처리');
  expect((await countShapes(page)).squares).toBe(4 * 5);

  await next(page);
  await expect(says(page)).toContainText('[은] 자리에서');
  await next(page);
  await expect(says(page)).toContainText('[파랗다]');
  await expect(page.locator('kv-question .chosen .name')).toContainText('파랗다');

  await next(page);
  await expect(says(page)).toContainText('[파랗다] 하나만');
  expect((await countShapes(page)).squares).toBe(5 * 5);

  await next(page);
  await expect(says(page)).toContainText('1,280 B');
  await next(page);
  await expect(says(page)).toContainText('나머지 49개를 다시');
  await expect(page.locator('[data-figure=race-told]')).toContainText('모두 같습니다');
  await next(page);
  await expect(says(page)).toContainText('다시 읽지 않기');
  await next(page);
  await expect(says(page)).toContainText('서로 다른 행렬 셋');
  await expect(page.locator('kv-projections .sum')).toBeVisible();
  await next(page);
  await expect(page.locator('.tour')).toHaveCount(0);
});

test('the tour takes the reader’s own prompt, in English, and Escape ends it', async ({
  page,
  site,
}) => {
  await openPage(page, site.url, { lang: 'en', src: TINY, prompt: 'the sea is' });
  await page.locator('[data-action=tour]').click();
  await expect(says(page)).toContainText('[<s>] [the] [sea] [is]');
  await page.locator('[data-action=tour-next]').focus();
  await page.keyboard.press('Enter');
  await expect(says(page)).toContainText('all 4 tokens');
  await page.keyboard.press('Escape');
  await expect(page.locator('.tour')).toHaveCount(0);
});

test('a shared link brings back prompt, seed, cache type, sampling, moment and head', async ({
  page,
  site,
}) => {
  await openRun(page, site.url, {
    ...{ lang: 'en', src: TINY, prompt: 'the sea', max: '9', 'ignore-eos': '1' },
    ...{ seed: '7', temperature: '1', 'min-p': '0.2', kv: 'q8_0' },
  });
  await page.locator('[name=scrub]').fill('4');
  await page.locator('kv-question [name=head]').selectOption('2');
  const chips = await page.locator('[data-row=output]').textContent();
  await page.locator('[data-action=share]').click();
  const url = page.url();
  for (const part of ['seed=7', 'min-p=0.2', 'kv=q8_0', 'ignore-eos=1'])
    expect(url).toContain(part);

  await page.goto('about:blank');
  await page.goto(url);
  await expect(page.locator('.where')).toContainText('4 of');
  expect(await page.locator('[data-row=output]').textContent()).toBe(chips);
  await expect(page.locator('kv-question [name=head]')).toHaveValue('2');
  await page.getByText('Settings').click();
  await expect(page.locator('[name=minP]')).toHaveValue('0.2');
  await expect(page.locator('[name=kvType]')).toHaveValue('q8_0');
  await expect(page.getByLabel('Go on past the end token')).toBeChecked();
});

test('a prompt edited in the middle: what the cache still holds is said, and only the rest is computed', async ({
  page,
  site,
}) => {
  await openRun(page, site.url, { lang: 'en', src: TINY, prompt: 'the sea is' });
  await page.locator('#prompt').fill('the sea the');
  await expect(page.locator('.reusable')).toContainText('first 3 of these 4 tokens');
  await page.locator('[data-action=run-rest]').click();
  await finished(page);
  await expect(page.locator('.run-state')).toContainText('3 already in the cache');
  await expect(page.locator('[data-row=prompt] .chip.reused')).toHaveCount(3);
  await expect(page.locator('[data-figure=input-tokens]')).toHaveText('1');
});
