// The numbers that a session gives: bytes, multiply-accumulates, vectors, against their formulas, on a
// small random llama that the real engine computes.
import { kvBytes, layerMacs } from './support/formulas';
import { expect, test } from './support/site';
import { SHAPE } from './support/tiny-llama';

const MODEL = '/test-files/tiny.gguf';

test('KV bytes are 2 × layers × KV heads × head size × bytes × tokens at every step', async ({
  harness,
}) => {
  for (const [kvType, elementBytes] of [
    ['f16', 2],
    ['f32', 4],
  ] as const) {
    const seen = await harness.evaluate(
      async ({ url, kvType }) => {
        const model = await window.kvscope.loadModel(url);
        const session = await model.createSession({ kvType });
        const prefill = await session.prefill('바다 색깔은');
        const steps = await window.collect(session.generate({ maxTokens: 20, ignoreEos: true }));
        const kvs = [prefill.kv, ...steps.map((step) => step.kv)];
        const layer = session.kv.layers[0]!;
        model.close();
        return {
          kvs,
          layer,
          positions: steps.map((step) => step.position),
          tokens: prefill.tokens,
        };
      },
      { url: MODEL, kvType },
    );
    expect(seen.tokens).toBe(4);
    // The first step's token comes from the prefill's logits; each later step adds one token.
    expect(seen.kvs.map((kv) => kv.tokens)).toEqual([4, 4, ...seen.positions.slice(1)]);
    for (const kv of seen.kvs) {
      expect(kv.bytes).toBe(kvBytes(SHAPE, elementBytes, kv.tokens));
      expect(kv.bytesPerToken).toBe(kvBytes(SHAPE, elementBytes, 1));
      expect(kv.layers).toHaveLength(SHAPE.layers);
      expect(kv.layers.reduce((sum, l) => sum + l.kBytes + l.vBytes, 0)).toBe(kv.bytes);
    }
    expect(seen.layer.heads).toBe(SHAPE.kvHeads);
  }
});

test('MAC counts are those of the shapes, in prefill and in each decode step', async ({
  harness,
}) => {
  const { prefill, steps, vocabSize } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const session = await model.createSession();
    const prefill = await session.prefill('바다 색깔은');
    const steps = await window.collect(session.generate({ maxTokens: 12, ignoreEos: true }));
    return { prefill, steps, vocabSize: model.info.vocabSize };
  }, MODEL);
  const logits = SHAPE.dim * vocabSize;
  expect(prefill.macs).toBe(layerMacs(SHAPE, 0, 4) + logits);
  expect(steps[0]?.macs).toBe(0);
  for (const step of steps.slice(1)) {
    expect(step.macs).toBe(layerMacs(SHAPE, step.position - 1, step.position) + logits);
  }
});

test('without the cache the tokens are the same, each step recomputes everything, nothing is kept', async ({
  harness,
}) => {
  const { kept, recomputed, vocabSize } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const run = async (kvCache: boolean) => {
      const session = await model.createSession({ kvCache });
      await session.prefill('the sea is blue');
      return window.collect(session.generate({ maxTokens: 30, ignoreEos: true }));
    };
    return {
      kept: await run(true),
      recomputed: await run(false),
      vocabSize: model.info.vocabSize,
    };
  }, MODEL);
  expect(recomputed.map((step) => step.id)).toEqual(kept.map((step) => step.id));
  for (const step of recomputed.slice(1)) {
    expect(step.macs).toBe(layerMacs(SHAPE, 0, step.position) + SHAPE.dim * vocabSize);
    expect(step.kv).toMatchObject({ tokens: 0, bytes: 0 });
  }
});

test('prefill reuses the beginning that is cached and computes only the rest', async ({
  harness,
}) => {
  const { first, second, fresh, logits, freshLogits } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const session = await model.createSession();
    const first = await session.prefill('the sea is blue');
    const second = await session.prefill('the sea is the sea');
    const other = await model.createSession();
    const fresh = await other.prefill('the sea is the sea');
    return {
      ...{ first, second, fresh },
      logits: Array.from(await session.logits()),
      freshLogits: Array.from(await other.logits()),
    };
  }, MODEL);
  expect(first.reused).toBe(0);
  expect(second.tokens).toBe(fresh.tokens);
  expect(second.reused).toBe(4); // <s> the sea is
  expect(second.macs).toBeLessThan(fresh.macs);
  logits.forEach((logit, id) => {
    expect(logit).toBeCloseTo(freshLogits[id]!, 3);
  });
});

test('q, k and v are the projections of x by the weights that are shown', async ({ harness }) => {
  const { x, wq, q, kProjected, wk } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url, { precision: 'high' });
    const session = await model.createSession({ kvType: 'f32' });
    await session.prefill('the sea is blue');
    const seen = await session.inspect({ layer: 1, head: 2, position: 4 });
    const plain = (values: Float32Array | null) => Array.from(values ?? []);
    return {
      ...{ x: plain(seen.x), q: plain(seen.q), kProjected: plain(seen.kProjected) },
      wq: { ...seen.wq, values: plain(seen.wq.values) },
      wk: { ...seen.wk, values: plain(seen.wk.values) },
    };
  }, MODEL);
  expect(wq).toMatchObject({ rows: 64, cols: 64, firstRow: 2 * SHAPE.headDim });
  expect(wk).toMatchObject({ rows: 32, cols: 64, firstRow: SHAPE.headDim });
  const product = ({ cols, values }: typeof wq, row: number) =>
    x.reduce((sum, value, i) => sum + value * values[row * cols + i]!, 0);
  q.forEach((value, row) => {
    expect(product(wq, row)).toBeCloseTo(value, 4);
  });
  kProjected.forEach((value, row) => {
    expect(product(wk, row)).toBeCloseTo(value, 4);
  });
});

test('truncate shortens the sequence and the cache, and values given out are copies', async ({
  harness,
}) => {
  const seen = await harness.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    const { kv } = await session.prefill('the sea is blue');
    kv.tokens = 99;
    session.kv.layers.length = 0;
    const before = session.kv;
    await session.truncate(2);
    return { before, after: session.kv, ids: (await session.tokens()).length };
  }, MODEL);
  expect(seen.before).toMatchObject({ tokens: 5, layers: Array(2).fill({ heads: 2 }) });
  expect(seen.after.tokens).toBe(2);
  expect(seen.ids).toBe(2);
});

test('stats keep input and output apart and count the Q bytes that were dropped', async ({
  harness,
}) => {
  const { stats, steps, prefill } = await harness.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    const prefill = await session.prefill('the sea is blue');
    const steps = await window.collect(session.generate({ maxTokens: 9, ignoreEos: true }));
    return { stats: session.stats, steps, prefill };
  }, MODEL);
  const qBytes = SHAPE.layers * SHAPE.heads * SHAPE.headDim * 4; // one token's Q, in f32
  expect(stats.input).toMatchObject({ tokens: 5, macs: prefill.macs });
  expect(stats.output.tokens).toBe(9);
  expect(stats.output.macs).toBe(steps.reduce((sum, step) => sum + step.macs, 0));
  expect(stats.qBytesDiscarded).toBe((5 + 8) * qBytes);
});

test('stats are the sums of what prefill and each step report, also after a loop that was left', async ({
  harness,
}) => {
  const { prefill, steps, during, after } = await harness.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    const prefill = await session.prefill('the sea is blue');
    const steps = [];
    const during = [];
    for await (const step of session.generate({ maxTokens: 99, ignoreEos: true })) {
      steps.push(step);
      during.push({ stats: session.stats, kv: session.kv });
      if (step.index === 6) break;
    }
    return { prefill, steps, during, after: session.stats };
  }, MODEL);
  const tokenBytes = kvBytes(SHAPE, 2, 1);
  const sums = { tokens: 0, ms: 0, macs: 0, weightBytesRead: 0, kvBytesRead: 0 };
  let qBytes = prefill.qBytes;
  steps.forEach((step, i) => {
    sums.tokens++;
    qBytes += step.qBytes;
    for (const key of ['ms', 'macs', 'weightBytesRead', 'kvBytesRead'] as const) {
      sums[key] += step[key];
    }
    expect(during[i]?.stats).toEqual({
      input: {
        ...{ tokens: 5, ms: prefill.ms, macs: prefill.macs, kvBytesWritten: 5 * tokenBytes },
        ...{ weightBytesRead: prefill.weightBytesRead, kvBytesRead: prefill.kvBytesRead },
      },
      output: { ...sums, kvBytesWritten: i * tokenBytes },
      qBytesDiscarded: qBytes,
    });
    expect(during[i]?.kv).toEqual(step.kv);
  });
  expect(steps.at(-1)?.weightBytesRead).toBeGreaterThan(0);
  expect(steps.at(-1)?.kvBytesRead).toBe(11 * tokenBytes); // of 5 + 6 positions
  expect(after).toEqual(during.at(-1)?.stats);
});

test('a step is plain data: it survives structuredClone and JSON, and nothing in it is shared', async ({
  harness,
}) => {
  const { step, cloned, parsed, next, fresh } = await harness.evaluate(async (url) => {
    const session = await (await window.kvscope.loadModel(url)).createSession();
    await session.prefill('the sea is blue');
    const run = async (spoil: boolean) => {
      await session.truncate(5);
      const steps = [];
      for await (const step of session.generate({ maxTokens: 3, ignoreEos: true })) {
        steps.push(structuredClone(step));
        if (!spoil) continue;
        step.bytes.fill(7);
        for (const layer of step.kv.layers) layer.kBytes = -1;
        for (const candidate of step.top) candidate.text = 'spoilt';
      }
      return steps.map(({ ms, ...rest }) => rest);
    };
    await run(false); // its first step has its logits from the prefill, the others’ compute them
    const fresh = await run(false);
    await run(true);
    const next = await run(true);
    for await (const step of session.generate({ maxTokens: 1, ignoreEos: true })) {
      const { bytes, ...numbers } = step;
      const parsed = JSON.parse(JSON.stringify(numbers));
      const cloned = structuredClone(step);
      return { step: numbers, cloned: { ...cloned, bytes: undefined }, parsed, next, fresh };
    }
    throw new Error('no step');
  }, MODEL);
  expect(cloned).toEqual({ ...step, bytes: undefined });
  expect(parsed).toEqual(step);
  expect(next).toEqual(fresh);
});

test('candidates and steps carry the text and bytes that their tokens have', async ({
  harness,
}) => {
  const { steps, tokens, top } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const session = await model.createSession();
    const prefill = await session.prefill('the sea');
    // At this temperature bytes and control tokens come up too.
    const options = { maxTokens: 60, temperature: 2, seed: 5, ignoreEos: true };
    const steps = await window.collect(session.generate(options));
    const ids = [...steps.map(({ id }) => id), ...prefill.top.map(({ id }) => id)];
    for (const step of steps) ids.push(...step.top.map(({ id }) => id));
    const tokens: Record<number, string> = {};
    for (const id of ids) tokens[id] = await model.detokenize([id]);
    return {
      steps: steps.map((step) => ({ ...step, bytes: Array.from(step.bytes) })),
      ...{ tokens, top: prefill.top },
    };
  }, MODEL);
  const decoder = new TextDecoder();
  const candidates = [...top, ...steps.flatMap((step) => step.top)];
  expect(candidates.length).toBe(610);
  const visible = candidates.filter(({ id }) => id > 4); // control tokens have no running text
  for (const { id, text } of visible) expect(text.trimStart()).toBe(tokens[id]?.trimStart());
  for (const { id, bytes } of steps.filter((step) => step.id > 4)) {
    expect(decoder.decode(Uint8Array.from(bytes)).trimStart()).toBe(tokens[id]?.trimStart());
  }
});

test('score gives log p of each token as step-by-step logits do', async ({ harness }) => {
  const { scored, stepped } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const ids = [1, 265, 269, 296, 270];
    const session = await model.createSession();
    const scored = Array.from(await session.score(ids));
    const stepped: number[] = [];
    for (let i = 1; i < ids.length; i++) {
      await session.prefill(ids.slice(0, i));
      const logits = await session.logits();
      const max = Math.max(...logits);
      const sum = logits.reduce((total, logit) => total + Math.exp(logit - max), 0);
      stepped.push(logits[ids[i]!]! - max - Math.log(sum));
    }
    return { scored, stepped };
  }, MODEL);
  expect(scored).toHaveLength(4);
  scored.forEach((value, i) => {
    expect(value).toBeCloseTo(stepped[i]!, 3);
  });
});
