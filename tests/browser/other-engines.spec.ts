// The one-line embed and the page in real Firefox and real WebKit.
import fs from 'node:fs';
import path from 'node:path';
import { createStaticServer, type StaticServer } from '../../build-scripts/serve.mjs';
import { firefox, type OtherBrowser, type OtherPage, webkit } from './support/other-browsers';
import { distDir, expect, test } from './support/site';

const ARTICLE = `<!doctype html><html lang="ko"><meta charset="utf-8"><title>article</title>
<script>
  window.events = [];
  window.workers = 0; // started and not ended
  window.Worker = class extends Worker {
    constructor(...args) { super(...args); workers++; }
    terminate() { super.terminate(); workers--; }
  };
  for (const name of ['kv-ready', 'kv-prefill', 'kv-token', 'kv-done', 'kv-error'])
    document.addEventListener(name, ({ detail }) => events.push([name, detail]));
</script>
<script type="module" src="/kvscope.js"></script>
<p>바다는 무슨 색일까?</p>
<kv-scope prompt="바다 색깔은" autoplay></kv-scope>`;

const untilDone = (state: string) => `
  const element = document.querySelector('kv-scope');
  while (!['${state}', 'error'].includes(element.dataset.state)) await new Promise((r) => setTimeout(r, 20));
  return {
    state: element.dataset.state,
    chips: [...element.shadowRoot.querySelectorAll('.chip')].map((chip) => chip.textContent.trim()),
    events: events.map(([name]) => name),
    info: events.find(([name]) => name === 'kv-ready')?.[1],
    error: events.find(([name]) => name === 'kv-error')?.[1]?.message ?? null,
  };`;

interface Outcome {
  state: string;
  chips: string[];
  events: string[];
  info: { build: string; threads: number; isolation: string };
  error: string | null;
}

function writeArticle(site: StaticServer): string {
  fs.writeFileSync(path.join(site.options.mounts['/test-files/']!, 'plain.html'), ARTICLE);
  return `${site.url}test-files/plain.html`;
}

/** In the page: presses Run and waits for the end of what the model says. */
const RUN_IN_PAGE = `
  const until = async (found) => {
    while (!found()) await new Promise((resolve) => setTimeout(resolve, 20));
    return found();
  };
  const button = await until(() => document.querySelector('[data-action=run]:not(:disabled)'));
  const prompt = document.querySelector('#prompt');
  prompt.value = '바다 색깔은';
  prompt.dispatchEvent(new Event('input', { bubbles: true }));
  button.click();
  const stage = await until(() => document.querySelector('kv-stage')?.shadowRoot);
  const output = () => stage.querySelector('[data-row=output]')?.textContent.replace(/\\s+/g, ' ') ?? '';
  await until(() => output().includes('END'));
  await navigator.serviceWorker.ready;
  return { output: output(), isolated: crossOriginIsolated };`;

async function withPage(browser: OtherBrowser, use: (page: OtherPage) => Promise<void>) {
  const missing = browser.missing();
  test.skip(Boolean(missing), `${missing} is not installed`);
  const page = await browser.open();
  await use(page).finally(() => page.close());
}

for (const browser of [firefox, webkit]) {
  test(`${browser.name}: the page runs, and once more without server, still isolated`, async () => {
    await withPage(browser, async (page) => {
      const server = await createStaticServer(distDir);
      try {
        await page.goto(`${server.url}?lang=ko`);
        const expected = { output: expect.stringMatching(/파랗다.*END/), isolated: true };
        expect(await page.evaluate(RUN_IN_PAGE)).toEqual(expected);
        await server.close();
        await page.goto(`${server.url}?lang=ko`);
        expect(await page.evaluate(RUN_IN_PAGE)).toEqual(expected);
      } finally {
        await server.close();
      }
    });
  });

  test(`${browser.name}: the one-line embed answers in a plain article, and again after it was removed`, async ({
    site,
  }) => {
    await withPage(browser, async (page) => {
      await page.goto(writeArticle(site));
      const first = await page.evaluate<Outcome>(untilDone('done'));
      expect(first.error).toBeNull();
      expect(first.chips.join(' ')).toMatch(/바다.*색깔.*은.*파랗다.*\..*END/);
      expect(first.events).toEqual([
        ...['kv-ready', 'kv-prefill'],
        ...['kv-token', 'kv-token', 'kv-token', 'kv-done'],
      ]);
      expect(first.info.threads).toBe(1);
      test.info().annotations.push({ type: 'build', description: first.info.build });

      await page.evaluate(`
        const old = document.querySelector('kv-scope');
        old.remove();
        events.length = 0;
        while (workers > 0) await new Promise((resolve) => setTimeout(resolve, 10));
        const fresh = document.createElement('kv-scope');
        Object.assign(fresh, { prompt: 'The color of the sea is', autoplay: true, lang: 'en' });
        document.body.append(fresh);`);
      const second = await page.evaluate<Outcome>(untilDone('done'));
      expect(second.error).toBeNull();
      expect(second.chips.join(' ')).toMatch(/sea is blue \. .*END/);
    });
  });
}
