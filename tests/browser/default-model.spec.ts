// The model that comes with the page, in Chromium: on the article's own example, and on the questions
// and prompts that its training wrote down (tests/reference/default-model-eval.json, web/models).
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import type { Model, Session } from '../../web/src/api/index';
import { openPage } from './support/page';
import { expect, test } from './support/site';

type Item = [prompt: string, answer: string, ends: boolean];
interface Card {
  engine: { right: Record<string, number>; asked: Record<string, number> };
  head: { layer: number; head: number };
}
interface Sample {
  prompt: string;
  answer?: string;
  story?: boolean;
  temperature?: number;
  minP?: number;
}

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string) => JSON.parse(fs.readFileSync(at(path), 'utf8'));
const card = read('web/models/kvscope-tiny.json') as Card;
const samples = read('web/models/samples.json') as Record<'ko' | 'en', Sample[]>;
const { form, ...heldOut } = read('tests/reference/default-model-eval.json') as Record<
  string,
  Item[]
>;

const told = read('tests/reference/default-model-stories.json') as {
  temperature: number;
  minP: number;
  stories: { prompt: string; seed: number; text: string }[];
};

/** Goes into the report beside the test. */
const note = (description: string) =>
  test.info().annotations.push({ type: 'measured', description });

type Loaded = Window & { model: Model; session: Session };

/** Without a source: the model that comes with kvscope. */
function load(page: Page, build: 'auto' | 'simd' = 'auto') {
  return page.evaluate(async (build) => {
    const model = await window.kvscope.loadModel(undefined, { build });
    const { contextLength } = model.info;
    const session = await model.createSession({ contextLength });
    Object.assign(window, { model, session });
    return model.info;
  }, build);
}

/** Which of the items are answered with exactly the tokens of the answer, END included where it must follow. */
function answered(page: Page, items: Item[]): Promise<boolean[]> {
  return page.evaluate(async (items) => {
    const { model, session } = window as unknown as Loaded;
    const idsOf = async (text: string) => (await model.tokenize(text)).map(({ id }) => id);
    const out: boolean[] = [];
    for (const [prompt, answer, ends] of items) {
      const before = await idsOf(prompt);
      const wanted = (await idsOf(`${prompt} ${answer}`)).slice(before.length);
      await session.prefill(before);
      const maxTokens = wanted.length + (ends ? 1 : 0);
      const steps = await window.collect(session.generate({ maxTokens }));
      const same = wanted.every((id, i) => steps[i]?.id === id);
      out.push(same && (!ends || steps.at(-1)?.finish === 'stop'));
    }
    return out;
  }, items);
}

test('바다 색깔은 is three tokens and goes on with 파랗다, a full stop and END, in the page as it opens', async ({
  page,
  site,
}) => {
  await openPage(page, site.url, { lang: 'ko' });
  await page.locator('[data-action=run]').click();
  await expect(page.locator('[data-row=prompt] .chip-text')).toHaveText([
    '<s>',
    '바다',
    '색깔',
    '은',
  ]);
  await expect(page.locator('[data-row=output] .chip-text')).toHaveText(['파랗다', '.', 'END']);
  await expect(page.locator('.running-text')).toHaveText('바다 색깔은 파랗다.');
});

test('the embed example runs the same model, in Korean and in English', async ({ page, site }) => {
  await page.goto(`${site.url}embed.html`);
  for (const element of await page.locator('kv-scope').all()) {
    await element.scrollIntoViewIfNeeded();
    await expect(element).toHaveAttribute('data-state', 'ready');
    await element.getByRole('button').click();
    await expect(element).toHaveAttribute('data-state', 'done');
  }
  await expect(page.locator('kv-scope').nth(0).locator('.chip.output')).toHaveText([
    '파랗다',
    '.',
    'END',
  ]);
  await expect(page.locator('kv-scope').nth(1).locator('.chip.output')).toHaveText([
    'blue',
    '.',
    'END',
  ]);
});

test('the page says in one sentence what this model is: in English in the file’s own words, and in Korean', async ({
  page,
  site,
}) => {
  const file = fs.readFileSync(at('web/models/kvscope-tiny.gguf'));
  const sentence = /^[^.]+\.$/;
  const about = page.locator('.model-about');
  await page.goto(`${site.url}index.html?lang=en`);
  await expect(about).toHaveText(sentence);
  expect(file.includes((await about.textContent())!)).toBe(true);
  await page.getByRole('button', { name: '한국어' }).click();
  await expect(about).toHaveText(/^[가-힣 ·,]+\.$/);
});

test('the page offers every checked prompt; one that is chosen stands in the box with the settings it was checked with', async ({
  page,
  site,
}) => {
  await openPage(page, site.url, { lang: 'ko' });
  const offered = page.locator('.samples').locator('button, option:enabled');
  await expect(offered).toHaveCount(samples.ko.length + samples.en.length);
  const prompt = page.locator('#prompt');
  const temperature = page.locator('[name=temperature]');
  const story = samples.en.find(({ story }) => story)!;
  await page.getByRole('button', { name: story.prompt, exact: true }).click();
  await expect(prompt).toHaveValue(story.prompt);
  await expect(temperature).toHaveValue(String(story.temperature));
  const fact = samples.en.filter(({ story }) => !story).at(-1)!;
  await page.locator('select.sample').selectOption({ label: `…${fact.prompt.slice(-60)}` });
  await expect(prompt).toHaveValue(fact.prompt);
  await expect(temperature).toHaveValue('0');
  await page.locator('[data-action=run]').click();
  await expect(page.locator('.running-text')).toHaveText(`${fact.prompt} ${fact.answer}`);
});

test('all held-out questions are answered as the card says', async ({ harness }) => {
  const { build } = await load(harness);
  for (const [name, items] of Object.entries(heldOut)) {
    const right = (await answered(harness, items)).filter(Boolean).length;
    const recorded = card.engine.right[name]!;
    note(`${build}, ${name}: ${right} of ${items.length}, recorded ${recorded}`);
    expect(items).toHaveLength(card.engine.asked[name]!);
    // The card's figures are of the simd build; where two tokens are almost equally likely, other
    // rounding may choose the other one. Seen so far: 1 in 100.
    const mayTurn = Math.max(2, items.length / 50);
    expect.soft(Math.abs(right - recorded), name).toBeLessThanOrEqual(mayTurn);
  }
});

test('the seed example is sure of itself: p(파랗다) ≥ 0.95, and its head looks at 바다', async ({
  harness,
}) => {
  const info = await load(harness);
  expect(card.head).toMatchObject({ layer: info.headLayer, head: info.headIndex });
  const { p, weights } = await harness.evaluate(async (info) => {
    const { session } = window as unknown as Loaded;
    const { top } = await session.prefill('바다 색깔은');
    const query = { layer: info.headLayer, head: info.headIndex, position: 3 };
    return { p: top[0]!.p, weights: Array.from((await session.inspect(query)).weights!) };
  }, info);
  note(`p ${p.toFixed(4)}, weights ${weights.map((w) => w.toFixed(3)).join(' ')}`);
  expect(p).toBeGreaterThanOrEqual(0.95);
  expect(weights).toHaveLength(4);
  expect(weights[1]).toBeGreaterThanOrEqual(0.8);
});

for (const lang of ['ko', 'en'] as const) {
  test(`every sample prompt is answered as recorded, and every story ends, in ${lang}`, async ({
    harness,
  }) => {
    await load(harness);
    const asked = samples[lang].filter(({ story }) => !story);
    const items = asked.map(({ prompt, answer }): Item => [prompt, answer!, true]);
    expect(items.length).toBeGreaterThanOrEqual(20);
    const right = await answered(harness, items);
    expect(items.filter((_, i) => !right[i])).toEqual([]);

    const stories = samples[lang].filter(({ story }) => story);
    const ends = await harness.evaluate(async (stories) => {
      const { session } = window as unknown as Loaded;
      const out: string[] = [];
      for (const { prompt, temperature, minP } of stories) {
        await session.prefill(prompt);
        const options = { maxTokens: 500, temperature, minP, seed: 1 };
        out.push(String((await window.collect(session.generate(options))).at(-1)?.finish));
      }
      return out;
    }, stories);
    expect(ends).toEqual(stories.map(() => 'stop'));
  });
}

test('a story is written again from its seed, word for word, by the build that wrote it', async ({
  harness,
}) => {
  await load(harness, 'simd');
  const { temperature, minP, stories } = told;
  const some = stories.filter((_, i) => i % 4 === 0);
  const texts = await harness.evaluate(
    async ({ some, temperature, minP }) => {
      const { session } = window as unknown as Loaded;
      const out: string[] = [];
      for (const { prompt, seed } of some) {
        await session.prefill(prompt);
        const options = { maxTokens: 500, temperature, minP, seed };
        const steps = await window.collect(session.generate(options));
        out.push(prompt + steps.map(({ text }) => text).join(''));
      }
      return out;
    },
    { some, temperature, minP },
  );
  expect(some.length).toBeGreaterThanOrEqual(20);
  expect(texts).toEqual(some.map(({ text }) => text));
});

// biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
test('the tool that wrote the card’s figures under Node gets the same ones again', ({}, testInfo) => {
  const [tasks, results] = ['tasks.json', 'results.json'].map((name) => testInfo.outputPath(name));
  const { temperature, minP, stories } = told;
  const { prompt, seed, text } = stories[0]!;
  fs.writeFileSync(
    tasks!,
    JSON.stringify({
      model: at('web/models/kvscope-tiny.gguf'),
      heldOut: at('tests/reference/default-model-eval.json'),
      texts: [{ prompt, temperature, minP, seed, maxTokens: 500 }],
    }),
  );
  execFileSync(process.execPath, [at('build-scripts/train/engine.mjs'), tasks!, results!]);
  const got = JSON.parse(fs.readFileSync(results!, 'utf8'));
  expect(got.right).toEqual(card.engine.right);
  expect(got.texts).toMatchObject([{ text, ended: true }]);
});
