// SmolLM2-135M-Instruct, Q4_1, in each of the three builds, against llama.cpp on the same file
// (tests/reference/smollm2-135m-q4_1.json says how its numbers were made).
import fs from 'node:fs';
import type { Page } from '@playwright/test';
import { kvBytes, layerMacs } from './support/formulas';
import { expect, openHarness, REAL_MODEL, test } from './support/site';
import { withoutRelaxedSimd } from './support/without-relaxed-simd';

interface Run {
  top20: [id: number, logit: number][];
  greedy: number[];
}
interface Prompt {
  text: string;
  ids: number[];
  q4_1: Run;
  f32: Run;
  q4_1_vs_f32: { rms: number };
}

/** 98 MB are loaded and 1,303 tokens scored: minutes on a busy machine. */
test.describe.configure({ timeout: 300_000 });

const read = (name: string) =>
  fs.readFileSync(new URL(`../reference/${name}`, import.meta.url), 'utf8');
const reference = JSON.parse(read('smollm2-135m-q4_1.json')) as {
  prompts: Record<string, Prompt>;
  perplexity: { f32: { tokens: number } };
};
const perplexityText = read('ppl-text.txt');

/** SmolLM2-135M's, from its GGUF metadata. */
const SHAPE = { layers: 30, heads: 9, kvHeads: 3, headDim: 64, dim: 576, ffnDim: 1536 };
const VOCAB = 49_152;

/** The error over the reference's 20 largest logits; of a list of pairs, over the ids in both. */
function rms(ours: (id: number) => number | undefined, exact: Run): number {
  const errors = exact.top20
    .map(([id, logit]) => (ours(id) ?? Number.NaN) - logit)
    .filter((error) => !Number.isNaN(error));
  return Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
}

const beginsAs = (ids: number[], { greedy }: Run) =>
  greedy.slice(0, 8).every((id, i) => ids[i] === id);

/** Goes into the report beside the test. */
const note = (description: string) =>
  test.info().annotations.push({ type: 'measured', description });

type Build = 'simd' | 'relaxed' | 'relaxed-threads';

function load(page: Page, build: Build, precision: 'fast' | 'high') {
  return page.evaluate(
    async ({ url, build, precision }) => {
      const threads = build === 'relaxed-threads' ? 2 : 'auto';
      const model = await window.kvscope.loadModel(url, { build, precision, threads });
      const session = await model.createSession({ contextLength: 2048 });
      Object.assign(window, { model, session });
      return model.info;
    },
    { url: REAL_MODEL, build, precision },
  );
}

type Loaded = Window & {
  model: import('../../web/src/api/index').Model;
  session: import('../../web/src/api/index').Session;
};

function runPrompt(page: Page, text: string) {
  return page.evaluate(async (text) => {
    const { model, session } = window as unknown as Loaded;
    const tokens = await model.tokenize(text, { special: true });
    await session.prefill(text);
    const logits = Array.from(await session.logits());
    const steps = await window.collect(session.generate({ maxTokens: 8 }));
    return { ids: tokens.map((token) => token.id), logits, greedy: steps.map((step) => step.id) };
  }, text);
}

for (const build of ['simd', 'relaxed', 'relaxed-threads'] as const) {
  for (const precision of ['high', 'fast'] as const) {
    test(`${build}, ${precision} precision: ids, logits and greedy tokens as llama.cpp’s`, async ({
      page: harness,
      site,
    }) => {
      site.options.isolated = build === 'relaxed-threads';
      await openHarness(harness, site);
      expect(await load(harness, build, precision)).toMatchObject({ ...SHAPE, build });
      const agreeing: string[] = [];
      for (const [name, prompt] of Object.entries(reference.prompts)) {
        const { ids, logits, greedy } = await runPrompt(harness, prompt.text);
        expect(ids).toEqual(prompt.ids);
        const error = rms((id) => logits[id], prompt.f32);
        const theirs = new Map(prompt.q4_1.top20);
        const llamaCpp = rms((id) => theirs.get(id), prompt.f32);
        note(`${name}: rms ${error.toFixed(4)}, llama.cpp's ${llamaCpp.toFixed(4)}`);
        if (precision === 'high') expect(error).toBeLessThanOrEqual(llamaCpp);
        if (beginsAs(greedy, prompt.q4_1) || beginsAs(greedy, prompt.f32)) agreeing.push(name);
      }
      expect(agreeing.length).toBeGreaterThanOrEqual(3);
    });
  }

  test(`${build}: the perplexity of a text is llama.cpp’s`, async ({ page, site }) => {
    site.options.isolated = build === 'relaxed-threads';
    await openHarness(page, site);
    await load(page, build, 'fast');
    const logProbabilities = await page.evaluate(
      async (text) => Array.from(await (window as unknown as Loaded).session.score(text)),
      perplexityText,
    );
    expect(logProbabilities).toHaveLength(reference.perplexity.f32.tokens - 1);
    const sum = logProbabilities.reduce((total, value) => total + value, 0);
    const perplexity = Math.exp(-sum / logProbabilities.length);
    note(`perplexity ${perplexity.toFixed(4)}`);
    expect(perplexity).toBeLessThanOrEqual(18.8);
  });

  test(`${build}: a chat in the page ends at the end of the turn and shows no special token`, async ({
    page,
    site,
  }) => {
    site.options.isolated = build === 'relaxed-threads';
    if (build === 'simd') await withoutRelaxedSimd(page);
    await page.goto(`${site.url}index.html?lang=en&src=${encodeURIComponent(REAL_MODEL)}`);
    await expect(page.locator('.facts')).toContainText(build, { timeout: 60_000 });
    await page.locator('#prompt').fill('Write two sentences about the sea.');
    await page.locator('[data-action=run]').click();
    await expect(page.locator('.run-state')).toContainText('The model ended by itself', {
      timeout: 120_000,
    });
    const answer = page.locator('.turn.assistant p');
    await expect(answer).toContainText(/\w+ .*\w/);
    await expect(page.locator('.transcript')).not.toContainText('<|');
    await expect(page.locator('[data-row=output] .chip.end .chip-text')).toHaveText('END');

    // The second turn reuses what the first one left in the cache.
    await page.locator('#prompt').fill('Hello! Who are you?');
    await page.locator('[data-action=run]').click();
    await expect(page.locator('.run-state')).toContainText('ended by itself', {
      timeout: 120_000,
    });
    await expect(page.locator('.turn')).toHaveCount(4);
    await expect(page.locator('.run-state')).toContainText(/\d+ already in the cache/);
  });
}

test('without the cache the tokens are the same and the MACs are what the shapes say', async ({
  harness,
}) => {
  await load(harness, 'relaxed', 'fast');
  const { kept, recomputed } = await harness.evaluate(async () => {
    const { model } = window as unknown as Loaded;
    const run = async (kvCache: boolean) => {
      const session = await model.createSession({ kvCache, contextLength: 64 });
      const prefill = await session.prefill('The sea is');
      return [prefill, ...(await window.collect(session.generate({ maxTokens: 8 })))];
    };
    return { kept: await run(true), recomputed: await run(false) };
  });
  const ids = (run: typeof kept) => run.slice(1).map((step) => (step as { id: number }).id);
  expect(ids(recomputed)).toEqual(ids(kept));
  const logits = SHAPE.dim * VOCAB;
  expect(kept.map(({ macs }) => macs)).toEqual([
    layerMacs(SHAPE, 0, 3) + logits,
    0,
    ...[3, 4, 5, 6, 7, 8, 9].map((n) => layerMacs(SHAPE, n, n + 1) + logits),
  ]);
  expect(recomputed.map(({ macs }) => macs)).toEqual([
    layerMacs(SHAPE, 0, 3) + logits,
    0,
    ...[4, 5, 6, 7, 8, 9, 10].map((n) => layerMacs(SHAPE, 0, n) + logits),
  ]);
  expect(kept.at(-1)?.kv.bytes).toBe(kvBytes(SHAPE, 2, 10));
});

test('loading takes at most the file’s size and a quarter of memory, at its peak', async ({
  page,
  site,
}) => {
  site.options.isolated = true; // measureUserAgentSpecificMemory asks for it
  await openHarness(page, site);
  const { before, after, bytes } = await page.evaluate(async (url) => {
    // Counts the page, its workers and their WebAssembly memories. A WebAssembly memory never shrinks:
    // what it has after loading is the most it had.
    const measure = async () =>
      (
        await (
          performance as unknown as {
            measureUserAgentSpecificMemory(): Promise<{ bytes: number }>;
          }
        ).measureUserAgentSpecificMemory()
      ).bytes;
    const before = await measure();
    const model = await window.kvscope.loadModel(url);
    await model.createSession();
    return { before, after: await measure(), bytes: model.info.bytes };
  }, REAL_MODEL);
  note(`${((after - before) / bytes).toFixed(3)} × the file`);
  expect(after - before).toBeGreaterThan(0.8 * bytes);
  expect(after - before).toBeLessThanOrEqual(1.25 * bytes);
});
