// A private window of a real profile: what it keeps ends with it, and the page works as in any other.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from './support/site';

/** Bytes in the profile's Cache Storage, where kept models lie. */
function keptOnDisk(profile: string): number {
  const files = fs.readdirSync(profile, { withFileTypes: true, recursive: true });
  return files
    .filter((file) => file.isFile() && file.parentPath.includes('CacheStorage'))
    .reduce((sum, file) => sum + fs.statSync(path.join(file.parentPath, file.name)).size, 0);
}

for (const isPrivate of [true, false])
  test(`${isPrivate ? 'in a private window the model runs and leaves nothing behind' : 'in a window that is not private it stays on disk'}`, async ({
    playwright,
    launchOptions,
    site,
  }) => {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'kvscope-profile-'));
    const args = [...launchOptions.args!, ...(isPrivate ? ['--incognito'] : [])];
    const context = await playwright.chromium.launchPersistentContext(profile, {
      ...launchOptions,
      args,
      serviceWorkers: 'block',
    });
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(`${site.url}index.html?lang=en`);
    for (const visit of ['first', 'second']) {
      await expect(page.locator('.facts'), visit).toBeVisible();
      await page.locator('[data-action=run]').click();
      await expect(page.locator('[data-row=output] .chip').last()).toContainText('END');
      await page.reload();
    }
    await context.close();
    if (isPrivate) expect(keptOnDisk(profile)).toBe(0);
    else expect(keptOnDisk(profile)).toBeGreaterThan(900_000);
    fs.rmSync(profile, { recursive: true });
  });
