// The page while a real model decodes: what the main thread is busy with between two frames.
import type { CDPSession } from '@playwright/test';
import { setLength } from './support/page';
import { expect, REAL_MODEL, test } from './support/site';

/** By hand, for a long run: KVSCOPE_SMOOTH_TOKENS=1000 npx playwright test smooth. */
const TOKENS = Number(process.env.KVSCOPE_SMOOTH_TOKENS ?? 150);
/** The longest task that a reader does not feel, as the browser's own long-task entries have it. */
const LONG_TASK_MS = 50;
/** Of the 16.7 ms that a frame has at 60 a second. */
const FRAME_CPU_MS = 12;
/** Long tasks are told by the clock, so another process on the same core can make one: so many a token. */
const LONG_TASKS_PER_TOKEN = 0.02;

// A trace takes pictures of the page, which takes the page's own time.
test.use({ trace: 'off' });

interface Watched {
  gaps: number[];
  longTasks: number[];
}

/** Processor time of the page's main thread, in seconds: other processes do not count. */
async function mainThread(client: CDPSession): Promise<Record<string, number>> {
  const { metrics } = await client.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

test(`the main thread has time for 60 frames a second while SmolLM2 decodes ${TOKENS} tokens`, async ({
  page,
  site,
}) => {
  test.setTimeout(120_000 + 300 * TOKENS);
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`${site.url}index.html?lang=en&src=${encodeURIComponent(REAL_MODEL)}`);
  await expect(page.locator('.facts')).toBeVisible({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Continue text' }).click();
  await setLength(page, TOKENS);
  await page.locator('#prompt').fill('The sea is');
  await page.evaluate(() => {
    const watched: Watched = { gaps: [], longTasks: [] };
    Object.assign(window, { watched });
    new PerformanceObserver((list) => {
      watched.longTasks.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: 'longtask' });
    let before = performance.now();
    const frame = (now: number) => {
      watched.gaps.push(now - before);
      before = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await page.locator('[data-action=run]').click();
  await expect(page.locator('main')).toHaveAttribute('data-phase', 'decode');
  const [start, skip] = [
    await mainThread(client),
    await page.evaluate(() => (window as unknown as { watched: Watched }).watched.gaps.length),
  ];
  await expect(page.locator('main')).toHaveAttribute('data-phase', 'idle', {
    timeout: 60_000 + 300 * TOKENS,
  });
  const end = await mainThread(client);
  const { gaps, longTasks } = await page.evaluate(
    () => (window as unknown as { watched: Watched }).watched,
  );
  const cpu = (name: string) => (1000 * (end[name]! - start[name]!)) / TOKENS;
  const sorted = gaps.slice(skip).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1);
  const description = [
    `${TOKENS} tokens, ${sorted.length} frames: gaps ${at(0.5)} ms median, ${at(0.99)} p99, ${at(1)} longest`,
    `long tasks: ${longTasks.map((ms) => ms.toFixed(0)).join(', ') || 'none'}`,
    ...['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'].map(
      (name) => `${name} ${cpu(name).toFixed(2)} ms a token`,
    ),
  ].join('; ');
  test.info().annotations.push({ type: 'measured', description });
  const long = longTasks.filter((ms) => ms > LONG_TASK_MS);
  expect(long.length).toBeLessThanOrEqual(LONG_TASKS_PER_TOKEN * TOKENS);
  expect(cpu('TaskDuration')).toBeLessThan(FRAME_CPU_MS);
});
