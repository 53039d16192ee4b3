// <kv-scope> in other people's pages: strict policies, other origins, sub-paths, sandboxed frames.
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { createStaticServer, type StaticServer, strictCsp } from '../../build-scripts/serve.mjs';
import { distDir, expect, test } from './support/site';

/** A page on the site's origin that is nothing but this HTML, under this policy. */
async function openArticle(page: Page, site: StaticServer, html: string, csp?: string) {
  const head = '<meta charset="utf-8"><title>article</title><link rel="icon" href="/icon.svg">';
  const file = path.join(site.options.mounts['/test-files/']!, 'article.html');
  fs.writeFileSync(file, `<!doctype html><html lang="en">${head}${html}`);
  site.options.csp = csp;
  await page.goto(`${site.url}test-files/article.html`);
}

const article = (base: string, attributes = '') =>
  `<script type="module" src="${base}kvscope.js"></script>
   <kv-scope prompt="바다 색깔은" max-tokens="3" autoplay ${attributes}></kv-scope>`;

const infoOf = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<{ threads: number; isolation: string }>((resolve) =>
        document.addEventListener('kv-ready', (event) => resolve((event as CustomEvent).detail)),
      ),
  );

const errorOf = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<{ code: string; message: string }>((resolve) =>
        document.addEventListener('kv-error', (event) => {
          const { code, message } = (event as CustomEvent).detail;
          resolve({ code, message });
        }),
      ),
  );

const done = (page: Page) => expect(page.locator('kv-scope')).toHaveAttribute('data-state', 'done');

/** The same folder on another origin, as a CDN has it. */
const otherTest = test.extend<{ cdn: StaticServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
  cdn: async ({}, use) => {
    const cdn = await createStaticServer(distDir, { isolated: false });
    await use(cdn);
    await cdn.close();
  },
});

test('one line in a plain article: the default model, one thread, and info says why', async ({
  page,
  site,
}) => {
  await openArticle(page, site, '');
  const info = infoOf(page);
  await page.evaluate((html) => {
    document.body.append(document.createRange().createContextualFragment(html));
  }, article('/'));
  expect(await info).toMatchObject({ threads: 1, isolation: 'not-isolated' });
  await done(page);
});

for (const [view, drawn] of [
  ['cache', 'kv-cache .uplot'],
  ['full', 'kv-question .meter[style]'],
])
  test(`a strict policy is enough for the view "${view}"`, async ({ page, site }) => {
    const violations: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) violations.push(message.text());
    });
    await openArticle(page, site, article('/', `view="${view}"`), strictCsp);
    await done(page);
    await expect(page.locator(`kv-scope ${drawn}`).first()).toBeVisible();
    expect(violations).toEqual([]);
  });

otherTest(
  'from another origin, script, worker, engine and model all come from there',
  async ({ page, site, cdn }) => {
    await openArticle(page, site, article(cdn.url));
    await done(page);
    const paths = cdn.log.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['/kvscope-worker.js', '/models/kvscope-tiny.gguf']),
    );
  },
);

otherTest(
  'a policy without blob: workers is told apart, and worker-src is the way out',
  async ({ page, site, cdn }) => {
    const { origin } = new URL(cdn.url);
    const csp = `script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' ${origin}; worker-src 'self'`;
    await openArticle(page, site, '', csp);
    const failure = errorOf(page);
    const add = (html: string) =>
      page.evaluate((html) => {
        document.body.replaceChildren(document.createRange().createContextualFragment(html));
      }, html);
    await add(article(cdn.url));
    expect(await failure).toMatchObject({ code: 'worker-failed' });
    expect((await failure).message).toContain('worker-src="/');
    await add(article(cdn.url, 'worker-src="/kvscope-worker.js"'));
    await done(page);
  },
);

test('the folder works from any sub-path', async ({ page, site }) => {
  const blog = await createStaticServer(distDir, { isolated: false, base: '/blog/2026/assets/' });
  await page.goto(`${blog.url}embed.html`);
  await page.locator('kv-scope').first().getByRole('button').click();
  await expect(page.locator('kv-scope').first()).toHaveAttribute('data-state', 'done');
  expect(blog.log.filter(({ status }) => status >= 400)).toEqual([]);
  await blog.close();
  expect(site.log).toEqual([]);
});

test('in a sandboxed frame it runs, keeps nothing, and tells how high it is', async ({
  page,
  site,
}) => {
  const src = `${site.url}embed.html?prompt=${encodeURIComponent('바다 색깔은')}&lang=ko&max-tokens=3`;
  await openArticle(
    page,
    site,
    `<script>
       window.heights = [];
       addEventListener('message', ({ data, source }) => {
         if (data.type !== 'kvscope-height') return;
         heights.push(data.height);
         document.querySelector('iframe').style.height = data.height + 'px';
       });
     </script>
     <iframe sandbox="allow-scripts" style="width: 600px; height: 150px; border: 0" src="${src}"></iframe>`,
  );
  const frame = page.frameLocator('iframe');
  const scope = frame.locator('kv-scope');
  await expect(scope).toHaveAttribute('data-state', 'ready');
  await scope.getByRole('button', { name: '실행' }).click();
  await expect(scope).toHaveAttribute('data-state', 'done');
  await expect(frame.locator('article')).toHaveCount(0);
  const heights = await page.evaluate(() => (window as unknown as { heights: number[] }).heights);
  const box = await page.locator('iframe').boundingBox();
  expect(heights).toEqual([box!.height]); // told once: nothing moves while it runs
  const scrolls = await scope.evaluate((element) => {
    const { scrollHeight, clientHeight } = element.ownerDocument.documentElement;
    return scrollHeight > clientHeight;
  });
  expect(scrolls).toBe(false);
});

test('nothing in the article moves while the elements load and run', async ({ page, site }) => {
  await page.addInitScript(() => {
    const moved: string[] = [];
    Object.assign(window, { moved });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { sources: { node?: Node }[] }[])
        moved.push(...entry.sources.flatMap(({ node }) => (node ? [node.nodeName] : [])));
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(`${site.url}embed.html`);
  for (const scope of await page.locator('kv-scope').all()) {
    await scope.getByRole('button').click();
    await expect(scope).toHaveAttribute('data-state', 'done');
  }
  await page.waitForTimeout(100);
  expect(await page.evaluate(() => (window as unknown as { moved: string[] }).moved)).toEqual([]);
});

test('over plain http from another machine nothing can be kept: it runs, and the page says so', async ({
  playwright,
  launchOptions,
  site,
}) => {
  const args = [...launchOptions.args!, '--host-resolver-rules=MAP blog.test 127.0.0.1'];
  const browser = await playwright.chromium.launch({ ...launchOptions, args });
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.goto(`http://blog.test:${site.port}/?lang=en`);
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  await page.locator('[data-action=run]').click();
  await expect(page.locator('[data-row=output] .chip').last()).toContainText('END');
  await expect(page.getByText('Not kept for the next visit')).toBeVisible();
  expect(errors).toEqual([]);
  await browser.close();
});
