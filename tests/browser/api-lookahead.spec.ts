// The engine runs ahead of the loop, and nobody can tell but by the time it takes.
import { expect, test } from './support/site';

const MODEL = '/test-files/tiny.gguf';

test('a loop left early leaves the session as if no further step had been made', async ({
  harness,
}) => {
  const { left, exact } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const run = async (maxTokens: number, lookahead: number) => {
      const session = await model.createSession();
      await session.prefill('the sea');
      const options = { temperature: 1, seed: 4, ignoreEos: true, maxTokens, lookahead };
      for await (const step of session.generate(options)) if (step.index === 20) break;
      const { input, output, qBytesDiscarded } = session.stats;
      const newest = { layer: 1, head: 2, position: session.kv.tokens - 1 };
      return {
        ...{ kv: session.kv, qBytesDiscarded, tokens: Array.from(await session.tokens()) },
        ...{ input: { ...input, ms: 0 }, output: { ...output, ms: 0 } },
        ...{ logits: await session.logits(), saved: await session.save() },
        seen: await session.inspect(newest),
      };
    };
    return { left: await run(400, 64), exact: await run(21, 0) };
  }, MODEL);
  expect(left.tokens).toHaveLength(3 + 21);
  expect(left.seen.q).not.toBeNull();
  expect(left).toEqual(exact);
});

test('an abort gives the text held back at that step, wherever the engine is', async ({
  harness,
}) => {
  const texts = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const run = async (lookahead: number, stop: string[]) => {
      const session = await model.createSession();
      await session.prefill('the sea');
      const abort = new AbortController();
      const { signal } = abort;
      const options = { temperature: 1, seed: 3, ignoreEos: true, maxTokens: 400, stop };
      let text = '';
      for await (const step of session.generate({ ...options, lookahead, signal })) {
        text += step.text;
        if (step.index === 30) abort.abort();
        if (step.finish !== null && step.finish !== 'abort') throw new Error(step.finish);
      }
      return text;
    };
    const text = await run(0, []);
    // The end of the text, as the beginning of a stop string that never comes.
    const stop = [`${text.slice(-2)}\u0001\u0002`];
    return [text, await run(0, stop), await run(64, stop), await run(64, [])];
  }, MODEL);
  expect(texts[0]?.length).toBeGreaterThan(20);
  expect(new Set(texts).size).toBe(1);
});

test('a paused loop can look inside and goes on with the tokens it would have had', async ({
  harness,
}) => {
  const { paused, straight, seen, exact } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const options = { temperature: 1, seed: 9, ignoreEos: true, maxTokens: 120 };
    const run = async (lookahead: number | undefined, pauses: boolean) => {
      const session = await model.createSession();
      await session.prefill('the sea');
      const ids: number[] = [];
      const seen: unknown[] = [];
      const generation = lookahead === undefined ? options : { ...options, lookahead };
      for await (const step of session.generate(generation)) {
        ids.push(step.id);
        if (step.index % 40 !== 30) continue;
        if (pauses) await new Promise((resolve) => setTimeout(resolve, 50));
        const { scores, q } = await session.inspect({
          ...{ layer: 1, head: 1, position: step.kv.tokens - 1 },
        });
        seen.push({ scores, q, logits: await session.logits() });
      }
      return { ids, seen };
    };
    const [a, b] = [await run(undefined, true), await run(0, false)];
    return { paused: a.ids, straight: b.ids, seen: a.seen, exact: b.seen };
  }, MODEL);
  expect(paused).toHaveLength(120);
  expect(paused).toEqual(straight);
  expect(seen).toHaveLength(3);
  expect(seen).toEqual(exact);
});
