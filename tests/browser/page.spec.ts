// The page, as a reader uses it, in Korean and in English.
import type { Page } from '@playwright/test';
import { kvBytes } from './support/formulas';
import { finished, openPage, setLength } from './support/page';
import { expect, REAL_MODEL, TINY, test } from './support/site';
import { SHAPE } from './support/tiny-llama';

const open = (page: Page, url: string, query: Record<string, string> = {}) =>
  openPage(page, url, { lang: 'en', src: TINY, ...query });

const run = async (page: Page, prompt: string) => {
  await page.locator('#prompt').fill(prompt);
  await page.locator('[data-action=run]').click();
};

for (const { lang, tokens, decode, html } of [
  { lang: 'ko', tokens: '토큰', decode: '생성', html: 'ko' },
  { lang: 'en', tokens: 'Tokens', decode: 'Decode', html: 'en' },
]) {
  test(`a run shows prompt and output as tokens, in ${lang}`, async ({ page, site }) => {
    await open(page, site.url, { lang });
    await expect(page.locator('html')).toHaveAttribute('lang', html);
    await expect(page.getByRole('heading', { name: tokens, exact: true })).toBeVisible();
    await run(page, '바다 색깔은');
    await finished(page);
    const prompt = page.locator('[data-row=prompt] .chip-text');
    await expect(prompt).toHaveText(['<s>', '바다', '색깔', '은']);
    await expect(page.locator('[data-row=output] .chip').first()).toBeVisible();
    await expect(page.locator('.run-state')).toContainText(decode);
  });
}

test('the language switch changes every word of the page and keeps the run', async ({
  page,
  site,
}) => {
  await open(page, site.url, { lang: 'en' });
  await run(page, 'the sea');
  await finished(page);
  const chips = await page.locator('[data-row=output] .chip').count();
  await page.getByRole('button', { name: '한국어' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'ko');
  await expect(page).toHaveTitle(/브라우저/);
  await expect(page.locator('[data-row=output] .chip')).toHaveCount(chips);
  // Views out of sight are drawn a moment later.
  await expect(async () => {
    const words = await page
      .locator('main h2, main button:not([lang]), main dt, main th')
      .allInnerTexts();
    for (const text of words) expect(text).not.toMatch(/^[A-Z][a-z]+ [a-z]+/);
  }).toPass({ timeout: 5000 });
});

test('the page shows the KV bytes that the formula gives, and the engine’s own figure per token', async ({
  page,
  site,
}) => {
  await open(page, site.url);
  await setLength(page, 20);
  await run(page, 'the sea');
  await finished(page);
  // <s> the sea, then 20 tokens of which the last one is not in the cache yet.
  const bytes = kvBytes(SHAPE, 2, 3 + 19);
  const shown = page.locator('[data-figure=kv-bytes]');
  await expect(shown).toHaveAttribute('data-bytes', String(bytes));
  await expect(shown).toHaveText(`${bytes.toLocaleString('en')} B`);
  await expect(page.locator('.formula')).toContainText('2 × 2 × 2 × 16 × 2 × 22');
  await expect(page.locator('[data-figure=input-tokens]')).toHaveText('3');
  await expect(page.locator('[data-figure=output-tokens]')).toHaveText('19');
});

test('a q8_0 cache has the bytes of the formula shown, also for heads of less than one block', async ({
  page,
  site,
}) => {
  await open(page, site.url, { kv: 'q8_0' });
  await run(page, 'the sea');
  await expect(page.locator('.run-state')).toContainText('Decode');
  await finished(page);
  const kv = await page.locator('kv-cache').evaluate((view) => {
    const { run } = view as unknown as {
      run: { steps: { kv: { bytes: number; tokens: number } }[] };
    };
    return run.steps.at(-1)!.kv;
  });
  // 16 numbers a head, and 2 bytes for the one block that they begin.
  expect(kv.bytes).toBe(2 * SHAPE.layers * SHAPE.kvHeads * (16 + 2) * kv.tokens);
  await expect(page.locator('.formula')).toContainText(`2 × 2 × 2 × (16 + 2) × ${kv.tokens}`);
  const here = page.locator('kv-cache tr[data-type=q8_0] td').first();
  await expect(here).toHaveText(`${(kv.bytes / 1000).toFixed(kv.bytes < 1e4 ? 2 : 1)} KB`);
});

test('with the cache off the page says that nothing is kept, and the tokens are the same', async ({
  page,
  site,
}) => {
  await open(page, site.url);
  await run(page, 'the sea is');
  await finished(page);
  const kept = await page.locator('[data-row=output] .chip-id').allInnerTexts();
  await page.getByText('Settings').click();
  await page.getByLabel('Keep K and V in the cache').uncheck();
  await run(page, 'the sea is');
  await finished(page);
  await expect(page.locator('.formula')).toContainText('nothing is kept');
  await expect(page.locator('[data-figure=kv-bytes]')).toHaveAttribute('data-bytes', '0');
  await expect(page.locator('[data-row=output] .chip-id')).toHaveText(kept);
});

test('Enter runs, Shift + Enter breaks the line', async ({ page, site }) => {
  await open(page, site.url);
  const prompt = page.locator('#prompt');
  await prompt.fill('the');
  await prompt.press('Shift+Enter');
  await prompt.pressSequentially('sea');
  await expect(prompt).toHaveValue('the\nsea');
  await expect(page.locator('[data-row=prompt] .chip')).toHaveCount(0);
  await prompt.press('Enter');
  await finished(page);
  await expect(page.locator('[data-row=prompt] .chip').first()).toBeVisible();
});

test('Enter while a Korean syllable is being composed never sends', async ({ page, site }) => {
  await open(page, site.url);
  const prompt = page.locator('#prompt');
  await prompt.fill('');
  const client = await page.context().newCDPSession(page);
  await client.send('Input.imeSetComposition', {
    text: '바',
    selectionStart: 1,
    selectionEnd: 1,
  });
  // As browsers send it while composing, and as Safari does, where compositionend comes first.
  for (const init of [
    { isComposing: true, keyCode: 13 },
    { isComposing: false, keyCode: 229 },
  ]) {
    await prompt.evaluate((element, init) => {
      const event = new KeyboardEvent('keydown', {
        ...{ key: 'Enter', bubbles: true, cancelable: true, ...init },
      });
      element.dispatchEvent(event);
    }, init);
  }
  await expect(page.locator('main')).toHaveAttribute('data-phase', 'idle');
  await expect(page.locator('[data-row=prompt] .chip')).toHaveCount(0);
  await client.send('Input.insertText', { text: '바다' });
  await expect(prompt).toHaveValue('바다');
  await prompt.press('Enter');
  await expect(page.locator('[data-row=prompt] .chip-text')).toHaveText(['<s>', '바다']);
});

test('stop ends a run, keeps what came, and the next run works', async ({ page, site }) => {
  await open(page, site.url);
  await page.getByText('Settings').click();
  await page.locator('[name=maxTokens]').fill('500');
  await page.getByLabel('Go on past the end token').check();
  // At full speed 500 tokens are there before a click comes.
  await page.getByRole('button', { name: 'Slow' }).click();
  await run(page, 'the sea is');
  await page.locator('[data-row=output] .chip').first().waitFor();
  await page.locator('[data-action=stop]').click();
  await finished(page);
  await expect(page.locator('.run-state')).toContainText('Stopped by you');
  await page.getByRole('button', { name: 'Real time' }).click();
  // Few enough that the prompt's chips are among those that are drawn.
  await page.locator('[name=maxTokens]').fill('3');
  await run(page, 'the');
  await expect(page.locator('[data-row=prompt] .chip-text')).toHaveText(['<s>', 'the']);
});

test('a file is loaded by the picker, by a drop and by its address', async ({ page, site }) => {
  await open(page, site.url);
  await page.getByRole('button', { name: 'Change model' }).click();
  const { body } = await page.evaluate(async (url) => {
    const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
    return { body: Array.from(bytes) };
  }, '/test-files/tiny-chat.gguf');
  const file = { name: 'mine.gguf', mimeType: '', buffer: Buffer.from(body) };
  await page.locator('#model-chooser input[type=file]').setInputFiles(file);
  await expect(page.locator('#model-chooser')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Chat', exact: true })).toBeVisible();

  const transfer = await page.evaluateHandle(
    (body) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(body)], 'dropped.gguf'));
      return data;
    },
    body.slice(0, 1000),
  );
  await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer });
  await expect(page.locator('.drop')).toBeVisible();
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
  await expect(page.locator('[data-error=truncated]')).toBeVisible();

  await page.getByRole('button', { name: 'Change model' }).click();
  await page.getByLabel('GGUF by URL').fill(TINY);
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Chat', exact: true })).toHaveCount(0);
});

test('the sentence that a file says of itself stands under the model’s name; without one there is none', async ({
  page,
  site,
}) => {
  await open(page, site.url);
  await expect(page.locator('.model-about')).toHaveCount(0);
  await open(page, site.url, { src: '/test-files/tiny-described.gguf' });
  await expect(page.locator('.model-about')).toHaveText('A llama of random numbers.');
});

test('loading shows bytes and speed and can be cancelled', async ({ page, site }) => {
  await open(page, site.url);
  await page.getByRole('button', { name: 'Change model' }).click();
  await page.getByLabel('GGUF by URL').fill(`${REAL_MODEL}?rate=2000000`);
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await expect(page.locator('.loading')).toContainText(/[\d.]+ MB of 98\.4 MB · [\d.]+ (MB|KB)\/s/);
  await expect(page.getByRole('progressbar')).toHaveAttribute('max', '98362432');
  await page.getByRole('button', { name: 'Cancel' }).click();
  // The small model that was there is still there.
  await run(page, 'the');
  await expect(page.locator('[data-row=prompt] .chip-text')).toHaveText(['<s>', 'the']);
});

test('the polite live region tells of the model and of the finished run, not of each token', async ({
  page,
  site,
}) => {
  await open(page, site.url);
  const region = page.locator('[role=status][aria-live=polite]');
  await expect(region).toHaveText(/tiny random llama is ready/);
  await run(page, 'the sea');
  await expect(region).toHaveText(/\d+ tokens, .* per second/);
  for (const live of await page.locator('[aria-live]').all()) {
    await expect(live.locator('.chip')).toHaveCount(0);
  }
});

test('nothing moves while tokens stream', async ({ page, site }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await open(page, site.url);
  await run(page, 'the');
  await finished(page);
  const shift = await page.evaluate(async () => {
    let shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shift += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift' });
    // Not by a click: shifts soon after one are not counted.
    const prompt = document.querySelector<HTMLTextAreaElement>('#prompt')!;
    prompt.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return shift;
  });
  expect(shift).toBeLessThan(0.02);
});
