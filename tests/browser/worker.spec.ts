// The traffic between page and worker, with an engine that fails and dawdles on demand.
import { useFakeEngine } from './support/fake-engine';
import { expect, openHarness, test } from './support/site';

const MODEL = '/test-files/tiny.gguf';

test.beforeEach(async ({ page, site }) => {
  await useFakeEngine(page);
  await openHarness(page, site);
});

test('a crash of the engine rejects every call that waits, and the next load starts afresh', async ({
  page,
}) => {
  const seen = await page.evaluate(async (url) => {
    const { loadModel } = window.kvscope;
    const model = await loadModel(url);
    const session = await model.createSession();
    const other = await model.createSession();
    const long = window.failure(other.prefill(`SLOW ${'word '.repeat(800)}`));
    const crash = window.failure(session.prefill('CRASH'));
    const failures = await Promise.all([long, crash]);
    const later = await window.failure(session.prefill('y'));
    const again = await (await loadModel(url)).createSession();
    return { failures, later, tokens: (await again.prefill('a b')).tokens };
  }, MODEL);
  expect(seen.failures.map((failure) => failure?.code)).toEqual(Array(2).fill('engine-crashed'));
  expect(seen.failures[0]?.message).toContain('unreachable');
  expect(seen.later?.code).toBe('engine-crashed');
  expect(seen.tokens).toBe(2);
});

test('a crash in the middle of a generation rejects the loop', async ({ page }) => {
  const { count, code } = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('STEP_CRASH');
    let count = 0;
    const loop = async () => {
      for await (const _ of session.generate()) count++;
    };
    return { code: (await window.failure(loop()))?.code, count };
  }, MODEL);
  expect(count).toBe(2);
  expect(code).toBe('engine-crashed');
});

test('an abort inside a slow prefill takes effect within a slice and keeps what is cached', async ({
  page,
}) => {
  const seen = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    const abort = new AbortController();
    let abortedAt = 0;
    const onProgress = ({ loaded }: { loaded: number }) => {
      if (loaded < 16) return;
      abort.abort();
      abortedAt ||= performance.now();
    };
    const prompt = `SLOW ${'word '.repeat(400)}`;
    const failure = await window.failure(
      session.prefill(prompt, { signal: abort.signal, onProgress }),
    );
    const delay = performance.now() - abortedAt;
    const ids = await session.tokens();
    const after = await session.prefill('a b c');
    return { failure, delay, cached: ids.length, after: after.tokens };
  }, MODEL);
  expect(seen.failure).toMatchObject({ name: 'KvScopeError', code: 'aborted' });
  expect(seen.delay).toBeLessThan(250);
  expect(seen.cached).toBeGreaterThanOrEqual(16);
  expect(seen.cached).toBeLessThan(400);
  expect(seen.after).toBe(3);
});

/** Messages from the page to the worker while 200 steps are taken; each has one reply. */
const countMessages = async (prompt: string) => {
  let messages = 0;
  const original = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (this: Worker, ...args: unknown[]) {
    messages++;
    return Reflect.apply(original, this, args);
  } as typeof original;
  const session = await (await window.kvscope.loadModel('/test-files/tiny.gguf')).createSession();
  await session.prefill(prompt);
  const before = messages;
  const steps = await window.collect(session.generate({ maxTokens: 200 }));
  return { messages: messages - before, steps: steps.length };
};

test('quick steps share messages', async ({ page }) => {
  const { messages, steps } = await page.evaluate(countMessages, 'quick');
  expect(steps).toBe(200);
  expect(messages).toBeLessThan(60);
});

test('a step crosses as numbers and a text; what a token is called crosses once a session', async ({
  page,
}) => {
  const { replies, steps } = await page.evaluate(async (url) => {
    type Batch = { numbers: Float64Array; text: string; pieces: { text: string }[] };
    const replies: Batch[] = [];
    const Original = Worker;
    window.Worker = class extends Original {
      constructor(...args: ConstructorParameters<typeof Original>) {
        super(...args);
        this.addEventListener('message', ({ data }) => {
          if (data.result?.numbers) replies.push(data.result);
        });
      }
    };
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('quick');
    const options = { maxTokens: 30, lookahead: 0 };
    const steps = await window.collect(session.generate(options));
    return { replies, steps: steps.map(({ text, top, kv }) => ({ text, top, layers: kv.layers })) };
  }, MODEL);
  expect(steps).toHaveLength(30);
  expect(replies).toHaveLength(30);
  expect(new Set(steps.map((step) => step.text)).size).toBe(8); // some come up again
  expect(replies.flatMap(({ pieces }) => pieces)).toHaveLength(8);
  for (const reply of replies.slice(10)) {
    expect(Object.keys(reply).sort()).toEqual(['count', 'numbers', 'pieces', 'text']);
    expect(reply.pieces).toEqual([]);
    expect(Object.keys(reply.numbers)).toHaveLength(17);
  }
  expect(steps[20]).toMatchObject({ text: ' 파랗다', top: [{ text: ' 파랗다', p: 0.5 }] });
  expect(steps[20]?.layers).toHaveLength(6);
});

test('slow steps come one by one: the engine is never more than a step ahead of the loop', async ({
  page,
}) => {
  const lead = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('SLOW');
    let lead = 0;
    for await (const step of session.generate({ maxTokens: 40 })) {
      lead = Math.max(lead, (await session.tokens()).length - 1 - step.position);
    }
    return lead;
  }, MODEL);
  expect(lead).toBe(0);
});

test('leaving the loop drops what the engine made ahead of it', async ({ page }) => {
  const { position, ids } = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('quick');
    let position = 0;
    for await (const step of session.generate({ maxTokens: 500, lookahead: 63 })) {
      position = step.position;
      if (step.index === 20) break;
    }
    return { position, ids: (await session.tokens()).length };
  }, MODEL);
  expect(position).toBe(21);
  expect(ids).toBe(22);
});

test('looking inside while the engine is ahead is refused with the way out', async ({ page }) => {
  const failure = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('quick');
    for await (const _ of session.generate({ maxTokens: 500, lookahead: 63 })) {
      return window.failure(session.logits());
    }
    return null;
  }, MODEL);
  expect(failure).toMatchObject({ code: 'bad-state' });
  expect(failure?.message).toContain('lookahead: 0');
});

test('the engine’s work leaves the main thread free', async ({ page }) => {
  const longTasks = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    const observer = new PerformanceObserver(() => {});
    observer.observe({ type: 'longtask' });
    await session.prefill(`SLOW ${'word '.repeat(100)}`);
    await window.collect(session.generate({ maxTokens: 20 }));
    return observer.takeRecords().map((entry) => entry.duration);
  }, MODEL);
  expect(longTasks).toEqual([]);
});
