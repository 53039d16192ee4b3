// The page on a visit without network, and after a new version was put on the server.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base, type Page } from '@playwright/test';
import { writeOfflineWorker } from '../../build-scripts/lib/offline.mjs';
import { createStaticServer, type StaticServer } from '../../build-scripts/serve.mjs';
import { distDir, expect } from './support/site';

const bundle = fileURLToPath(new URL('../../build/offline-worker.js', import.meta.url));

/** A copy of the built folder that a test may change, on a server with COOP and COEP. */
const test = base.extend<{ deployed: { server: StaticServer; dir: string } }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
  deployed: async ({}, use) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'kvscope-offline-'));
    fs.cpSync(distDir, dir, { recursive: true });
    const server = await createStaticServer(dir);
    await use({ server, dir });
    await server.close();
    fs.rmSync(dir, { recursive: true });
  },
});
test.use({ serviceWorkers: 'allow' });

/** As a new build leaves it: another text in the page's script, and hashes that agree. */
function deploy(dir: string, text: string): void {
  fs.appendFileSync(
    path.join(dir, 'page.js'),
    `\nglobalThis.deployed = ${JSON.stringify(text)};\n`,
  );
  writeOfflineWorker(bundle, dir);
}

const deployedText = (page: Page) =>
  page.evaluate(() => (globalThis as { deployed?: string }).deployed);

async function visitUntilKept(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expect(page.locator('[data-action=run]')).toBeEnabled();
  await page.evaluate(() => navigator.serviceWorker.ready);
}

/** What becomes of the service worker that the server has now. */
async function updateEndsAs(): Promise<string> {
  const registration = await navigator.serviceWorker.ready;
  return new Promise((resolve) => {
    registration.addEventListener('updatefound', () => {
      const worker = registration.installing!;
      worker.addEventListener('statechange', () => resolve(worker.state));
    });
    void registration.update();
  });
}

async function run(page: Page): Promise<string> {
  await page.locator('#prompt').fill('바다 색깔은');
  await page.locator('[data-action=run]').click();
  const output = page.locator('[data-row=output] .chip');
  await expect(output.last()).toContainText('END');
  return (await output.allTextContents()).join(' ');
}

test('after one visit the page runs without server, on as many threads, and says that it is offline', async ({
  page,
  context,
  deployed: { server },
}) => {
  await visitUntilKept(page, server.url);
  await server.close();
  await context.setOffline(true);
  const second = await context.newPage();
  await second.goto(`${server.url}?lang=ko`);
  // Chromium 150 tells a page that a service worker gave nothing of what was set before.
  await context.setOffline(false);
  await context.setOffline(true);
  await expect(second.locator('[data-action=run]')).toBeEnabled();
  expect(await run(second)).toMatch(/파랗다/);
  expect(await second.evaluate(() => crossOriginIsolated)).toBe(true);
  await expect(second.getByText('인터넷에 연결되어 있지 않습니다')).toBeVisible();
});

test('a new version on the server is offered, and starts when the reader asks for it', async ({
  page,
  deployed: { server, dir },
}) => {
  await visitUntilKept(page, server.url);
  deploy(dir, 'second');
  await page.reload();
  const notice = page.locator('[data-notice=new-version]');
  await expect(notice).toBeVisible();
  expect(await deployedText(page)).toBeUndefined();
  await notice.getByRole('button').click();
  await expect.poll(() => deployedText(page).catch(() => undefined)).toBe('second');
  await expect(notice).toBeHidden();
  const caches = await page.evaluate(async () => (await globalThis.caches.keys()).join());
  expect(caches.match(/kvscope-page/g)).toHaveLength(1);
});

test('a half deployed version is not kept: the one before goes on without network', async ({
  page,
  deployed: { server, dir },
}) => {
  await visitUntilKept(page, server.url);
  deploy(dir, 'second');
  fs.writeFileSync(path.join(dir, 'kvscope-worker.js'), '<!doctype html><title>Sign in</title>');
  expect(await page.evaluate(updateEndsAs)).toBe('redundant');
  await server.close();
  await page.reload();
  await expect(page.locator('[data-action=run]')).toBeEnabled();
  expect(await run(page)).toMatch(/파랗다|blue/);
  expect(await deployedText(page)).toBeUndefined();
});

test('an embed keeps nothing of the page: none of its files knows of a service worker', () => {
  const files = fs.readdirSync(distDir).filter((file) => /^(kvscope|embed).*\.js$/.test(file));
  const knowing = files.filter((file) =>
    fs.readFileSync(path.join(distDir, file), 'utf8').includes('serviceWorker'),
  );
  expect(files.length).toBeGreaterThan(10);
  expect(knowing).toEqual([]);
});
