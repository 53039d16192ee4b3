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

interface Batch {
  count: number;
  numbers: Float64Array;
  text: string;
  pieces: { text: string }[];
}

declare global {
  interface Window {
    /** What crosses: operations asked of the worker, and batches of steps that came back. */
    traffic: { asked: string[]; batches: Batch[] };
  }
}

/** Notes in window.traffic what crosses from now on. */
const watchTraffic = () => {
  const asked: string[] = [];
  const batches: Batch[] = [];
  window.traffic = { asked, batches };
  const Original = Worker;
  window.Worker = class extends Original {
    constructor(...args: ConstructorParameters<typeof Original>) {
      super(...args);
      this.addEventListener('message', ({ data }) => {
        if (data.result?.numbers) batches.push(data.result);
      });
    }
    override postMessage(message: unknown, transfer: unknown = []) {
      asked.push((message as { op: string }).op);
      super.postMessage(message, transfer as Transferable[]);
    }
  };
};

test('a step crosses as numbers and a text; what a token is called crosses once a session', async ({
  page,
}) => {
  await page.evaluate(watchTraffic);
  const { batches, steps } = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('quick');
    const options = { maxTokens: 30, lookahead: 0 };
    const steps = await window.collect(session.generate(options));
    const { batches } = window.traffic;
    return { batches, steps: steps.map(({ text, top, kv }) => ({ text, top, layers: kv.layers })) };
  }, MODEL);
  expect(steps).toHaveLength(30);
  expect(batches).toHaveLength(30);
  expect(new Set(steps.map((step) => step.text)).size).toBe(8); // some come up again
  expect(batches.flatMap(({ pieces }) => pieces)).toHaveLength(8);
  for (const batch of batches.slice(10)) {
    expect(Object.keys(batch).sort()).toEqual(['count', 'numbers', 'pieces', 'text']);
    expect(batch.pieces).toEqual([]);
    expect(Object.keys(batch.numbers)).toHaveLength(17);
  }
  expect(steps[20]).toMatchObject({ text: ' 파랗다', top: [{ text: ' 파랗다', p: 0.5 }] });
  expect(steps[20]?.layers).toHaveLength(6);
});

test('quick steps share messages, and each is given to the loop', async ({ page }) => {
  await page.evaluate(watchTraffic);
  const { messages, indices } = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('quick');
    const steps = await window.collect(session.generate({ maxTokens: 200 }));
    const messages = window.traffic.asked.filter((op) => op === 'generateNext').length;
    return { messages, indices: steps.map(({ index }) => index) };
  }, MODEL);
  expect(indices).toEqual([...Array(200).keys()]);
  expect(messages).toBeLessThan(30);
});

test('a session that nobody looked into runs ahead from the first step of its next run', async ({
  page,
}) => {
  await page.evaluate(watchTraffic);
  const { fresh, known, lookedAt } = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    const messagesOfARun = async (look: boolean) => {
      await session.truncate(0);
      await session.prefill('quick');
      const before = window.traffic.asked.length;
      for await (const step of session.generate({ maxTokens: 20 })) {
        if (look) await session.inspect({ layer: 0, head: 0, position: step.position - 1 });
      }
      return window.traffic.asked.slice(before).filter((op) => op === 'generateNext').length;
    };
    const fresh = await messagesOfARun(false);
    const known = await messagesOfARun(false);
    await messagesOfARun(true);
    return { fresh, known, lookedAt: await messagesOfARun(false) };
  }, MODEL);
  expect(fresh).toBeGreaterThan(4); // it is alone for so many steps first
  expect(known).toBeLessThanOrEqual(2);
  expect(lookedAt).toBeGreaterThan(4);
});

test('slow steps come one by one: the engine waits for the loop', async ({ page }) => {
  await page.evaluate(watchTraffic);
  const ahead = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('SLOW');
    const ahead: number[] = [];
    for await (const step of session.generate({ maxTokens: 30 })) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const asked = window.traffic.asked.filter((op) => op === 'generateNext').length;
      ahead.push(asked - 1 - step.index);
    }
    return ahead;
  }, MODEL);
  expect(ahead).toEqual(Array(30).fill(0));
});

test('while the loop is busy the engine makes the next steps, but not more than it may', async ({
  page,
}) => {
  await page.evaluate(watchTraffic);
  const made = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('quick');
    for await (const step of session.generate({ maxTokens: 500 })) {
      if (step.index < 100) continue;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return window.traffic.batches.reduce((sum, { count }) => sum + count, 0);
    }
    throw new Error('no step 100');
  }, MODEL);
  expect(made).toBeGreaterThan(101);
  expect(made).toBeLessThanOrEqual(101 + 64);
});

test('leaving the loop drops what the engine made ahead of it', async ({ page }) => {
  const { position, ids, kv, stats } = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('quick');
    let position = 0;
    for await (const step of session.generate({ maxTokens: 500, lookahead: 63 })) {
      position = step.position;
      if (step.index === 20) break;
    }
    const ids = (await session.tokens()).length;
    return { position, ids, kv: session.kv, stats: session.stats };
  }, MODEL);
  expect(position).toBe(21);
  expect(ids).toBe(22);
  expect(kv.tokens).toBe(21); // the newest token enters the cache in the next step
  expect(stats.output.tokens).toBe(21);
});

test('looking inside while the engine is ahead shows the loop’s step, and the loop goes on from it', async ({
  page,
}) => {
  const { seen, indices } = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('quick');
    const seen: number[] = [];
    const indices: number[] = [];
    for await (const step of session.generate({ maxTokens: 200, lookahead: 63 })) {
      indices.push(step.index);
      if (step.index % 30 !== 20) continue;
      // One after the other, and two at once that race with the loop's next step.
      seen.push((await session.tokens()).length - 1 - step.position);
      void session.tokens().then((ids) => seen.push(ids.length - 1 - step.position));
      void session.tokens().then((ids) => seen.push(ids.length - 1 - step.position));
    }
    return { seen, indices };
  }, MODEL);
  expect(seen).toEqual(Array(3 * 6).fill(0));
  expect(indices).toEqual([...Array(200).keys()]);
});

test('a look while the loop waits is answered between two steps, without a gap in the loop', async ({
  page,
}) => {
  const { seen, indices } = await page.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('SLOW');
    const indices: number[] = [];
    const seen: [number, number][] = [];
    const steps = session.generate({ maxTokens: 20, lookahead: 5 });
    for (let next = steps.next(); ; next = steps.next()) {
      const look = session.tokens(); // the loop waits for its step now
      const { value } = await next;
      if (!value) break;
      indices.push(value.index);
      seen.push([(await look).length - 1, value.position]);
      if (value.finish) break;
    }
    return { seen, indices };
  }, MODEL);
  expect(indices).toEqual([...Array(20).keys()]);
  for (const [newest, position] of seen) expect(newest).toBe(position);
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
