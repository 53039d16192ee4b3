// Headless Chromium for the measurements, and how much memory its processes took.
import fs from 'node:fs';
import { at } from '../lib/paths.mjs';
import { UserError, which } from '../lib/run.mjs';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page that no one looks at must not be slowed down.
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
];

/** Starts a browser of its own, so that its memory can be told apart. */
export async function launchChromium(extra = []) {
  if (!fs.existsSync(at('node_modules/@playwright/test')))
    throw new UserError('the npm packages are missing. Run: npm run setup');
  const { chromium } = await import('@playwright/test');
  const executablePath = process.env.KVSCOPE_CHROMIUM ?? which('chromium');
  return chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    headless: true,
    args: [...flags, ...extra],
  });
}

/** A page that reports what went wrong in it: to the returned `failures`, in order. */
export async function openPage(browser, url) {
  const page = await browser.newPage();
  const failures = [];
  page.on('pageerror', (error) => failures.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') failures.push(message.text());
  });
  await page.goto(url);
  return { page, failures };
}

/** The largest peak of resident memory among the browser's renderers, in bytes; Linux only. */
export async function rendererPeakBytes(browser) {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  const peaks = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      const file = `/proc/${id}/status`;
      if (!fs.existsSync(file)) return 0;
      return Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(file, 'utf8'))?.[1] ?? 0) * 1024;
    });
  return Math.max(0, ...peaks) || undefined;
}
