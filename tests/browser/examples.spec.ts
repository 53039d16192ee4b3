// The examples of docs/headless.md, run as a reader would run them.
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { run } from '../../build-scripts/lib/run.mjs';
import config from '../../playwright.config';
import { expect, test } from './support/site';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const examples = here('../examples');
const playwright = here('../../node_modules/@playwright/test/cli.js');
const CHROMIUM = config.use?.launchOptions?.executablePath ?? chromium.executablePath();
const CHROMEDRIVER = '/usr/bin/chromedriver';

for (const [tool, args] of [
  ['playwright', [playwright, 'test', '--config', `${examples}/playwright.config.mjs`]],
  ['puppeteer', ['--test', `${examples}/puppeteer.example.mjs`]],
  ['webdriver', ['--test', `${examples}/webdriver.example.mjs`]],
] as const) {
  test(`the example for ${tool} passes, and the docs show it as it is`, async ({ site }) => {
    const source = fs.readFileSync(`${examples}/${tool}.example.mjs`, 'utf8');
    const quoted = `\`\`\`js\n${source}\`\`\``;
    expect(fs.readFileSync(here('../../docs/headless.md'), 'utf8')).toContain(quoted);

    const lacksDriver = tool === 'webdriver' && !fs.existsSync(CHROMEDRIVER);
    test.skip(lacksDriver, `${CHROMEDRIVER} is not installed`);
    const env = { KVSCOPE_URL: site.url, CHROMIUM, CHROMEDRIVER };
    const options = { env, show: 'never', allowFailure: true } as const;
    const { code, output } = await run(process.execPath, [...args], options);
    expect(code, output).toBe(0);
  });
}
