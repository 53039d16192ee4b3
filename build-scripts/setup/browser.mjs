// Chromium for the browser tests, and a Korean font so that screenshots show Hangul.
import fs from 'node:fs';
import { at } from '../lib/paths.mjs';
import { run, UserError, which } from '../lib/run.mjs';
import { aptHint, aptInstall, canInstall } from './apt.mjs';

const packages = ['chromium', 'fonts-noto-cjk'];
const fontDir = '/usr/share/fonts/opentype/noto';
const hasFont = () =>
  fs.existsSync(fontDir) && fs.readdirSync(fontDir).some((f) => f.includes('CJK'));

/** Playwright's own Chromium, where `npx playwright install chromium` put one. */
async function playwrightChromium() {
  if (!fs.existsSync(at('node_modules/@playwright/test'))) return undefined;
  const { chromium } = await import('@playwright/test');
  const file = chromium.executablePath();
  return fs.existsSync(file) ? file : undefined;
}

export const browser = {
  title: 'Chromium and a Korean font (about 170 MB to download)',
  async isDone() {
    if (process.env.KVSCOPE_CHROMIUM) return true;
    if (process.platform === 'linux' && which('chromium')) return hasFont() || !canInstall();
    return Boolean(await playwrightChromium());
  },
  async run() {
    if (canInstall()) return aptInstall(packages);
    try {
      await run(
        process.execPath,
        [at('node_modules/@playwright/test/cli.js'), 'install', 'chromium'],
        { show: 'live' },
      );
    } catch (error) {
      throw new UserError(
        `${error.message}\n  Install Chromium yourself (${aptHint(packages)}), or name one in KVSCOPE_CHROMIUM.`,
      );
    }
  },
};
