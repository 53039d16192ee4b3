// node build-scripts/picture.mjs: the pictures of the READMEs, docs/page-ko.png and docs/page-en.png, from dist/ after a real run.
import fs from 'node:fs';
import { launchChromium } from './bench/chromium.mjs';
import { at, distDir } from './lib/paths.mjs';
import { main, UserError } from './lib/run.mjs';
import { createStaticServer } from './serve.mjs';

const PROMPTS = { ko: '바다 색깔은', en: 'The color of the sea is' };
/** A README should open at once. */
const MOST_BYTES = 150_000;

async function takePicture(browser, server, lang) {
  const page = await browser.newPage({
    ...{ viewport: { width: 1240, height: 780 }, colorScheme: 'light' },
    ...{ reducedMotion: 'reduce', serviceWorkers: 'block' },
  });
  await page.goto(`${server.url}index.html?lang=${lang}`);
  await page.locator('.facts').waitFor();
  await page.locator('#prompt').fill(PROMPTS[lang]);
  await page.locator('[data-action=run]').click();
  await page.locator('main[data-phase=idle] [data-row=output] .chip').last().waitFor();
  await page.locator('kv-stage').evaluate((stage) => stage.scrollIntoView());
  await page.waitForTimeout(500); // drawings come with the frames
  const file = at('docs', `page-${lang}.png`);
  await page.screenshot({ path: file, animations: 'disabled' });
  await page.close();
  const { size } = fs.statSync(file);
  if (size > MOST_BYTES) throw new UserError(`${file} has ${size} bytes, more than ${MOST_BYTES}`);
  console.log(`docs/page-${lang}.png: ${size} bytes`);
}

await main(async () => {
  const server = await createStaticServer(distDir, { isolated: true });
  const browser = await launchChromium();
  try {
    for (const lang of Object.keys(PROMPTS)) await takePicture(browser, server, lang);
  } finally {
    await browser.close();
    await server.close();
  }
});
