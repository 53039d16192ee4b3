import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

// KVSCOPE_CHROMIUM, or Linux's own Chromium, or (undefined) the one Playwright installed.
const system = '/usr/bin/chromium';
const executablePath =
  process.env.KVSCOPE_CHROMIUM ??
  (process.platform === 'linux' && existsSync(system) ? system : undefined);

export default defineConfig({
  testDir: 'tests/browser',
  outputDir: 'test-results',
  // The engine uses every core it gets: two tests at once would only measure each other.
  workers: 1,
  fullyParallel: false,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: 'build/playwright.json' }]],
  use: {
    browserName: 'chromium',
    headless: true,
    // Only the test about visits without network lets the page keep itself: requests of a kept page cannot be routed.
    serviceWorkers: 'block',
    trace: 'retain-on-failure',
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
