// Loading: every kind of source, progress, abort, and each failure with its own code.
import { strictCsp } from '../../build-scripts/serve.mjs';
import { ERRORS } from '../../web/src/api/error-table';
import { expect, openHarness, REAL_MODEL, test } from './support/site';
import { SHAPE } from './support/tiny-llama';

const MODEL = '/test-files/tiny.gguf';

test('info says what the file says', async ({ harness }) => {
  const info = await harness.evaluate(
    async (url) => (await window.kvscope.loadModel(url)).info,
    MODEL,
  );
  expect(info).toMatchObject({
    ...SHAPE,
    ...{ name: 'tiny random llama', architecture: 'llama', quantization: 'F32', chat: false },
  });
  expect(info.bytes).toBe(info.bytes | 0);
  expect(info.vocabSize).toBeGreaterThan(256);
});

test('a URL, a string, a File, a Blob and an ArrayBuffer load the same model', async ({
  harness,
}) => {
  const results = await harness.evaluate(async (url) => {
    const bytes = await (await fetch(url)).arrayBuffer();
    const sources = [
      new URL(url, location.href),
      url,
      new File([bytes], 'tiny.gguf'),
      new Blob([bytes]),
      bytes,
    ];
    const results: unknown[] = [];
    for (const source of sources) {
      const model = await window.kvscope.loadModel(source);
      const session = await model.createSession();
      await session.prefill('the sea');
      const steps = await window.collect(session.generate({ maxTokens: 5, ignoreEos: true }));
      results.push([model.info.bytes, ...steps.map((step) => step.id)]);
      model.close();
    }
    // The caller's buffer is read, not taken.
    return { results, bytesLeft: bytes.byteLength };
  }, MODEL);
  expect(results.bytesLeft).toBeGreaterThan(300_000);
  for (const result of results.results) expect(result).toEqual(results.results[0]);
});

test('progress counts the bytes as they arrive, of the file’s own size', async ({ harness }) => {
  const progress = await harness.evaluate(async (url) => {
    const seen: { phase: string; loaded: number; total: number }[] = [];
    const abort = new AbortController();
    const load = window.kvscope.loadModel(url, {
      signal: abort.signal,
      onProgress: (progress) => {
        if (seen.push(progress) > 5) abort.abort();
      },
    });
    await window.failure(load);
    return seen;
  }, `${REAL_MODEL}?rate=4000000`);
  expect(progress[0]).toMatchObject({ phase: 'connect' });
  const read = progress.filter(({ phase }) => phase === 'read');
  expect(read.length).toBeGreaterThan(3);
  for (const [i, { loaded, total }] of read.entries()) {
    expect(loaded).toBeGreaterThan(read[i - 1]?.loaded ?? 0);
    expect(total).toBe(98_362_432);
  }
});

test('an abort while loading rejects at once, and the next load works', async ({ harness }) => {
  const { failure, ms, layers } = await harness.evaluate(async (url) => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 150);
    const startedAt = performance.now();
    const slow = window.kvscope.loadModel(`${url}?stall=100000`, { signal: abort.signal });
    const failure = await window.failure(slow);
    const ms = performance.now() - startedAt;
    return { failure, ms, layers: (await window.kvscope.loadModel(url)).info.layers };
  }, MODEL);
  expect(failure).toMatchObject({ name: 'KvScopeError', code: 'aborted' });
  expect(ms).toBeLessThan(3000);
  expect(layers).toBe(SHAPE.layers);
});

const FAILURES: [what: string, source: string, code: string, message: RegExp][] = [
  ['a truncated file', '/test-files/truncated.gguf', 'truncated', /\d{5}.*\d{5}/],
  ['a download cut short by the server', `${MODEL}?truncate=50000`, 'truncated', /50000/],
  ['a connection that breaks', `${MODEL}?drop=50000`, 'network', /tiny\.gguf/],
  ['a web page in a file’s place', '/test-files/page.gguf', 'not-gguf', /GGUF|web page/],
  ['a server that answers with a web page', `${MODEL}?html`, 'not-gguf', /web page/],
  [
    'an unknown architecture',
    '/test-files/unknown-architecture.gguf',
    'unsupported-architecture',
    /perceptron/,
  ],
  ['a missing file', '/test-files/none.gguf', 'http', /404/],
  ['a server in trouble', `${MODEL}?status=503`, 'http', /503/],
  ['a server that is not there', 'http://127.0.0.1:9/model.gguf', 'network', /127\.0\.0\.1:9/],
];

for (const [what, source, code, message] of FAILURES) {
  test(`${what} is refused as “${code}”, and a good file loads after it`, async ({ harness }) => {
    const { failure, layers } = await harness.evaluate(
      async ({ source, good }) => {
        const failure = await window.failure(window.kvscope.loadModel(source));
        return { failure, layers: (await window.kvscope.loadModel(good)).info.layers };
      },
      { source, good: MODEL },
    );
    expect(failure).toMatchObject({ name: 'KvScopeError', code });
    expect(failure?.message).toMatch(message);
    expect(layers).toBe(SHAPE.layers);
  });
}

test('wrong arguments are refused before anything is fetched', async ({ harness, site }) => {
  site.log.length = 0;
  const codes = await harness.evaluate(async (url) => {
    const { loadModel } = window.kvscope;
    const calls = [
      loadModel(url, { threads: 0 }),
      loadModel(url, { build: 'turbo' as 'simd' }),
      loadModel(url, { precision: 'low' as 'high' }),
      loadModel('http://'),
    ];
    const failures = await Promise.all(calls.map((call) => window.failure(call)));
    return failures.map((failure) => failure?.code);
  }, MODEL);
  expect(codes).toEqual(Array(4).fill('bad-argument'));
  expect(site.log.filter(({ path }) => path.endsWith('.gguf'))).toEqual([]);
});

test('every error code has a line in English and in Korean', () => {
  for (const { en, ko } of Object.values(ERRORS)) {
    expect(en).toMatch(/^[A-Z].*\.$/);
    expect(ko).toMatch(/[가-힣].*\.$/);
  }
});

test('text is brought to NFC: decomposed Hangul gives the same tokens', async ({ harness }) => {
  const { nfc, nfd, text } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const ids = async (text: string) => (await model.tokenize(text)).map((token) => token.id);
    const nfc = await ids('바다 색깔은'.normalize('NFC'));
    const nfd = await ids('바다 색깔은'.normalize('NFD'));
    return { nfc, nfd, text: await model.detokenize(nfc.slice(1)) };
  }, MODEL);
  expect(nfd).toEqual(nfc);
  expect(nfc).toHaveLength(4);
  expect(text.trim()).toBe('바다 색깔은');
});

test('tokens carry their bytes, and special tokens are read only when asked', async ({
  harness,
}) => {
  const { plain, special, withoutBos } = await harness.evaluate(async (url) => {
    const model = await window.kvscope.loadModel(url);
    const shape = (tokens: Awaited<ReturnType<typeof model.tokenize>>) =>
      tokens.map(({ text, bytes, special }) => ({ text, bytes: Array.from(bytes), special }));
    return {
      plain: shape(await model.tokenize('<|im_end|>')),
      special: shape(await model.tokenize('<|im_end|>', { special: true, bos: 'never' })),
      withoutBos: shape(await model.tokenize('바다', { bos: 'never' })),
    };
  }, MODEL);
  expect(plain.length).toBeGreaterThan(4);
  expect(special.at(-1)).toMatchObject({ text: '<|im_end|>', special: true });
  expect(withoutBos).toEqual([{ text: ' 바다', bytes: [...Buffer.from(' 바다')], special: false }]);
});

test('a chat template renders, its beginning-of-sequence token is not doubled, and a model without one says so', async ({
  harness,
}) => {
  const { text, ids, missing } = await harness.evaluate(async (url) => {
    const { loadModel } = window.kvscope;
    const model = await loadModel('/test-files/tiny-chat.gguf');
    const messages = [{ role: 'user', content: 'the sea' }];
    const text = await model.applyChatTemplate(messages);
    const tokens = await model.tokenize(`<s>${text}`, { special: true });
    const plain = await loadModel(url);
    return {
      text,
      ids: tokens.map((token) => token.id).slice(0, 2),
      missing: await window.failure(plain.applyChatTemplate(messages)),
    };
  }, MODEL);
  expect(text).toBe('<|im_start|>user\nthe sea<|im_end|>\n<|im_start|>assistant\n');
  expect(ids).toEqual([1, 3]);
  expect(missing).toMatchObject({ code: 'no-chat-template' });
});

test('closing the last model ends the worker, and models share one until then', async ({
  harness,
}) => {
  const workers = () => harness.workers().filter((worker) => /kvscope-worker/.test(worker.url()));
  await harness.evaluate(async (url) => {
    const { loadModel } = window.kvscope;
    const models = [await loadModel(url), await loadModel('/test-files/other.gguf')];
    Object.assign(window, { models });
  }, MODEL);
  expect(workers()).toHaveLength(1);
  await harness.evaluate(() => {
    for (const model of (window as unknown as { models: { close(): void }[] }).models)
      model.close();
  });
  await expect.poll(() => workers().length).toBe(0);
});

test('everything works under a strict content security policy', async ({ page, site }) => {
  site.options.csp = strictCsp;
  const violations: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) violations.push(message.text());
  });
  await openHarness(page, site);
  const text = await page.evaluate(async () => {
    const model = await window.kvscope.loadModel('/test-files/tiny-chat.gguf');
    return model.applyChatTemplate([{ role: 'user', content: 'hi' }]);
  });
  expect(text).toContain('hi');
  expect(violations).toEqual([]);
});
