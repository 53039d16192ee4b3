// How a session behaves: order, steps, stopping, going on.
import type { Page } from '@playwright/test';
import { expect, test } from './support/site';
import { SHAPE } from './support/tiny-llama';

const MODEL = '/test-files/tiny.gguf';

/** What is drawn with each seed, in a session of its own. */
function idsOfSeeds(harness: Page, seeds: number[]): Promise<number[][]> {
  return harness.evaluate(
    async ([url, seeds]) => {
      const model = await window.kvscope.loadModel(url);
      const found: number[][] = [];
      for (const seed of seeds) {
        const session = await model.createSession();
        await session.prefill('the sea');
        const options = { maxTokens: 40, temperature: 1, seed, ignoreEos: true };
        const steps = await window.collect(session.generate(options));
        found.push(steps.map((step) => step.id));
      }
      return found;
    },
    [MODEL, seeds] as const,
  );
}

test('append continues after what is there', async ({ harness }) => {
  const { whole, pieces, ids, wholeIds } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const [a, b] = [await model.createSession(), await model.createSession()];
    await a.prefill([1, 265, 269, 296]);
    const whole = await a.append([270, 271]);
    await b.prefill([1, 265, 269, 296, 270, 271]);
    return {
      whole: { tokens: whole.tokens, top: whole.top[0]?.id },
      pieces: (await b.logits()).indexOf(Math.max(...(await b.logits()))),
      ids: Array.from(await a.tokens()),
      wholeIds: Array.from(await b.tokens()),
    };
  }, MODEL);
  expect(whole.tokens).toBe(6);
  expect(whole.top).toBe(pieces);
  expect(ids).toEqual(wholeIds);
});

test('steps carry index, position, probability, candidates and a finish at the end only', async ({
  harness,
}) => {
  const steps = await harness.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('the sea');
    return window.collect(session.generate({ maxTokens: 10, ignoreEos: true }));
  }, MODEL);
  expect(steps.map((step) => step.index)).toEqual([...Array(10).keys()]);
  expect(steps.map((step) => step.position)).toEqual([...Array(10).keys()].map((i) => i + 3));
  expect(steps.map((step) => step.finish)).toEqual([...Array(9).fill(null), 'length']);
  for (const step of steps) {
    expect(step.top[0]).toMatchObject({ id: step.id }); // greedy
    expect(step.p).toBeCloseTo(step.top[0]!.p, 5);
    expect(step.top.length).toBe(10);
    expect(step.ms).toBeGreaterThanOrEqual(0);
  }
});

test('the same seed gives the same tokens, another seed others', async ({ harness }) => {
  const [a, b, c] = await idsOfSeeds(harness, [7, 7, 8]);
  expect(b).toEqual(a);
  expect(c).not.toEqual(a);
});

test('of a seed as large as a date in milliseconds the low bits count', async ({ harness }) => {
  const [low, large, next] = await idsOfSeeds(harness, [7, 2 ** 40 + 7, 2 ** 40 + 8]);
  expect(large).toEqual(low);
  expect(next).not.toEqual(low);
});

test('arguments of a wrong kind are refused, and the session goes on', async ({ harness }) => {
  const { codes, tokens } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const session = await model.createSession();
    await session.prefill('the sea');
    const generate = (options: object) => window.collect(session.generate(options));
    const failures = [
      await window.failure(session.restore(undefined as never)),
      await window.failure(session.restore(new Int32Array(3) as never)),
      await window.failure(generate({ stop: 'end' })),
      await window.failure(generate({ stop: [5] })),
      await window.failure(model.tokenize('a', { bos: 5 as never })),
      await window.failure(model.createSession({ kvType: 5 as never })),
    ];
    return {
      codes: failures.map((failure) => failure?.code),
      tokens: (await generate({ maxTokens: 3, ignoreEos: true })).length,
    };
  }, MODEL);
  expect(codes).toEqual(Array(6).fill('bad-argument'));
  expect(tokens).toBe(3);
});

test('generation ends with “context” when the context is full', async ({ harness }) => {
  const { finish, tokens } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const session = await model.createSession({ contextLength: 16 });
    await session.prefill('the sea');
    const steps = await window.collect(session.generate({ maxTokens: 100, ignoreEos: true }));
    return { finish: steps.at(-1)?.finish, tokens: (await session.tokens()).length };
  }, MODEL);
  expect(finish).toBe('context');
  expect(tokens).toBeLessThanOrEqual(17); // the last token need not enter the cache
});

test('a stop string ends the text before it', async ({ harness }) => {
  const { text, stopped, stop, finish } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const run = async (stop: string[]) => {
      const session = await model.createSession();
      await session.prefill('the sea');
      const options = { maxTokens: 60, temperature: 1, seed: 3, ignoreEos: true, stop };
      const steps = await window.collect(session.generate(options));
      return { text: steps.map((step) => step.text).join(''), finish: steps.at(-1)?.finish };
    };
    const { text } = await run([]);
    const stop = [...text].slice(8, 11).join('');
    const { text: stopped, finish } = await run([stop]);
    return { text, stopped, stop, finish };
  }, MODEL);
  expect(stopped).toBe(text.slice(0, text.indexOf(stop)));
  expect(finish).toBe('stop');
});

test('leaving the loop stops the engine and the session goes on from there', async ({
  harness,
}) => {
  const { early, straight } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const session = await model.createSession();
    await session.prefill('the sea');
    const early: number[] = [];
    for (let round = 0; round < 3; round++) {
      for await (const step of session.generate({ ignoreEos: true, maxTokens: 100 })) {
        early.push(step.id);
        if (step.index === 19) break; // far enough for the engine to have run ahead
      }
    }
    const other = await model.createSession();
    await other.prefill('the sea');
    const steps = await window.collect(other.generate({ maxTokens: 60, ignoreEos: true }));
    return { early, straight: steps.map((step) => step.id) };
  }, MODEL);
  expect(early).toEqual(straight);
});

test('an abort ends the loop with a step that says so', async ({ harness }) => {
  const { finishes, after } = await harness.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('the sea');
    const abort = new AbortController();
    const finishes: unknown[] = [];
    const options = { maxTokens: 400, ignoreEos: true, signal: abort.signal };
    for await (const step of session.generate(options)) {
      finishes.push(step.finish);
      if (step.index === 30) abort.abort();
    }
    const after = await session.prefill('the sea is');
    return { finishes, after: after.tokens };
  }, MODEL);
  expect(finishes.slice(0, -1).every((finish) => finish === null)).toBe(true);
  expect(finishes.at(-1)).toBe('abort');
  expect(finishes.length).toBeLessThanOrEqual(32);
  expect(after).toBe(4);
});

test('an aborted prefill keeps what it has computed, and the next one goes on from it', async ({
  harness,
}) => {
  const { failure, kv, stats, reused, tokens } = await harness.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    const abort = new AbortController();
    const prompt = 'the sea is blue '.repeat(100);
    const failure = await window.failure(
      session.prefill(prompt, { signal: abort.signal, onProgress: () => abort.abort() }),
    );
    const { kv, stats } = session;
    const { reused, tokens } = await session.prefill(prompt);
    return { failure, kv, stats, reused, tokens };
  }, MODEL);
  expect(failure).toMatchObject({ name: 'KvScopeError', code: 'aborted' });
  expect(tokens).toBeGreaterThan(400);
  expect(kv.tokens).toBe(reused);
  expect(stats.input.tokens).toBe(reused);
  expect(reused).toBeGreaterThan(0);
  expect(reused).toBeLessThan(tokens);
});

test('calls are carried out in the order in which they are made', async ({ harness }) => {
  const { tokens, ids } = await harness.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    const calls = [session.prefill([1, 5, 6]), session.append([7]), session.append([8, 9])];
    const generated = window.collect(session.generate({ maxTokens: 4, ignoreEos: true }));
    const last = session.prefill([1, 5, 9]);
    const tokens = (await Promise.all([...calls, last])).map((result) => result.tokens);
    return { tokens, ids: (await generated).length };
  }, MODEL);
  expect(tokens).toEqual([3, 4, 6, 3]);
  expect(ids).toBe(4);
});

test('after close every call fails with “closed”, the ones that wait too', async ({ harness }) => {
  const codes = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const session = await model.createSession();
    const waiting = [
      window.failure(session.prefill('the sea is blue '.repeat(100))),
      window.failure(session.append('blue')),
    ];
    session.close();
    const other = await model.createSession();
    await other.prefill('the');
    const loop = async () => {
      for await (const _ of other.generate({ maxTokens: 100, ignoreEos: true })) model.close();
    };
    const failures = await Promise.all([
      ...waiting,
      window.failure(session.logits()),
      window.failure(loop()),
    ]);
    const later = [other.prefill('x'), model.tokenize('x'), model.createSession()];
    for (const call of later) failures.push(await window.failure(call));
    return failures.map((failure) => failure?.code);
  }, MODEL);
  expect(codes).toEqual(Array(7).fill('closed'));
});

test('between two steps one can look inside; q is there for the newest position only', async ({
  harness,
}) => {
  const seen = await harness.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('the sea is blue');
    const sums: number[] = [];
    let older: unknown;
    for await (const step of session.generate({ maxTokens: 12, ignoreEos: true })) {
      const position = step.kv.tokens - 1;
      const now = await session.inspect({ layer: 1, head: 3, position });
      sums.push(now.weights!.reduce((sum, weight) => sum + weight, 0));
      const old = await session.inspect({ layer: 1, head: 3, position: 2 });
      older = { q: old.q, weights: old.weights, k: old.k.length, kvHead: old.kvHead };
    }
    const outside = await window.failure(session.inspect({ layer: 9, head: 0, position: 0 }));
    return { sums, older, outside };
  }, MODEL);
  expect(seen.sums).toHaveLength(12);
  for (const sum of seen.sums) expect(sum).toBeCloseTo(1, 5);
  expect(seen.older).toEqual({ q: null, weights: null, k: SHAPE.headDim, kvHead: 1 });
  expect(seen.outside).toMatchObject({ code: 'bad-argument' });
});

test('a saved session goes on in another one with the same tokens', async ({ harness }) => {
  const { straight, restored, foreign } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const a = await model.createSession();
    await a.prefill('the sea is');
    const bytes = await a.save();
    const options = { maxTokens: 12, ignoreEos: true };
    const straight = (await window.collect(a.generate(options))).map((step) => step.id);
    const b = await model.createSession();
    await b.restore(bytes);
    const restored = (await window.collect(b.generate(options))).map((step) => step.id);
    const foreign = await window.failure(b.restore(new Uint8Array([1, 2, 3])));
    return { straight, restored, foreign };
  }, MODEL);
  expect(restored).toEqual(straight);
  expect(foreign).toMatchObject({ code: 'bad-snapshot' });
});

test('the prompt that does not fit is refused with both numbers, and a shorter one works', async ({
  harness,
}) => {
  const { failure, tokens } = await harness.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession({
      contextLength: 64,
    });
    const failure = await window.failure(session.prefill('the sea '.repeat(50)));
    return { failure, tokens: (await session.prefill('the sea')).tokens };
  }, MODEL);
  expect(failure).toMatchObject({ code: 'context-full' });
  expect(failure?.message).toMatch(/102.*64/);
  expect(tokens).toBe(3);
});
