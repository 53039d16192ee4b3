import { defineConfig } from '@playwright/test';

export default defineConfig({
  testMatch: 'playwright.example.mjs',
  outputDir: '../../test-results/examples',
  reporter: 'line',
  use: {
    baseURL: process.env.KVSCOPE_URL ?? 'http://127.0.0.1:8080/',
    // Left out, it is the Chromium of `npx playwright install chromium`.
    launchOptions: { executablePath: process.env.CHROMIUM },
  },
});
