import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';

/** The engine of fake-engine.mjs in place of the WebAssembly one. */
export async function useFakeEngine(page: Page): Promise<void> {
  const path = fileURLToPath(new URL('./fake-engine.mjs', import.meta.url));
  await page.route(/\/kvscope-(simd|relaxed|relaxed-threads)\.mjs$/, (route) =>
    route.fulfill({ path, contentType: 'text/javascript' }),
  );
}
