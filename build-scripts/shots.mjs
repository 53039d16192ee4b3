// npm run shots: every view in both languages, light and dark, on a phone and on a wide screen, to be
// looked at: build/shots/<view>-<lang>-<scheme>-<width>.png, and a sheet of the eight for each view.
import fs from 'node:fs';
import path from 'node:path';
import { launchChromium } from './bench/chromium.mjs';
import { at, distDir } from './lib/paths.mjs';
import { main } from './lib/run.mjs';
import { createStaticServer } from './serve.mjs';

const views = ['prompt', 'stage', 'projections', 'race', 'cache', 'cost', 'calculator'];
const widths = [1280, 360];
const out = at('build/shots');

/** Runs the prompt, the race of it, and opens what can be opened. */
async function openPage(browser, url, { lang, scheme, width, more = {} }) {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    ...more,
  });
  await page.goto(`${url}index.html?${new URLSearchParams({ lang, prompt: '바다 색깔은' })}`);
  await page.locator('.facts').waitFor();
  await page.locator('[data-action=run]').click();
  await page.locator('kv-question [data-weight]').first().waitFor();
  await page.locator('[data-action=race]').click();
  await page.locator('[data-action=race]').waitFor({ timeout: 60_000 });
  return page;
}

async function shoot(page, name) {
  for (const view of views) {
    const section = page.locator(view === 'prompt' ? 'section.prompt' : `.${view}-section`);
    await section.scrollIntoViewIfNeeded();
    await page.waitForTimeout(300); // a view out of sight is drawn a little later
    await section.screenshot({ path: path.join(out, `${view}-${name}.png`) });
  }
}

/** The eight pictures of a view beside each other. */
async function sheet(browser, view, names) {
  const page = await browser.newPage({ viewport: { width: 1840, height: 900 } });
  const picture = (name) => {
    const data = fs.readFileSync(path.join(out, `${view}-${name}.png`)).toString('base64');
    const width = name.includes('-1280') ? 880 : 300;
    return `<figure><figcaption>${view} ${name}</figcaption><img width="${width}" src="data:image/png;base64,${data}"></figure>`;
  };
  await page.setContent(
    `<style>body{display:flex;flex-wrap:wrap;gap:8px;align-items:start;background:#888;font:12px sans-serif}figure{margin:0}</style>${names.map(picture).join('')}`,
  );
  await page.screenshot({ path: path.join(out, `sheet-${view}.png`), fullPage: true });
  await page.close();
}

await main(async () => {
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(out, { recursive: true });
  const server = await createStaticServer(distDir);
  const browser = await launchChromium();
  const names = [];
  for (const width of widths) {
    for (const lang of ['ko', 'en']) {
      for (const scheme of ['light', 'dark']) {
        const page = await openPage(browser, server.url, { lang, scheme, width });
        const name = `${lang}-${scheme}-${width}`;
        await shoot(page, name);
        await page.close();
        names.push(name);
      }
    }
  }
  const forced = { lang: 'ko', scheme: 'dark', width: 1280, more: { forcedColors: 'active' } };
  const page = await openPage(browser, server.url, forced);
  await shoot(page, 'forced-colors');
  for (const view of views) await sheet(browser, view, names);
  await browser.close();
  await server.close();
  console.log(
    `shots: ${out}, ${views.length * (names.length + 1)} pictures, ${views.length} sheets`,
  );
});
