// The page while a real model decodes: what the main thread is busy with, and which frames come late.
import type { CDPSession, Page } from '@playwright/test';
import { setLength } from './support/page';
import { expect, openHarness, REAL_MODEL, test } from './support/site';

/** By hand, for a long run: KVSCOPE_SMOOTH_TOKENS=1000 npx playwright test smooth. */
const TOKENS = Number(process.env.KVSCOPE_SMOOTH_TOKENS ?? 150);
const PROMPT = 'The sea is';
const FRAME_MS = 1000 / 60;
/** The longest task that a reader does not feel, as the browser's own long-task entries have it. */
const LONG_TASK_MS = 50;
/** Long tasks are told by the clock, so another process on the same core can make one: so many a token. */
const LONG_TASKS_PER_TOKEN = 0.02;
/**
 * Of the main thread's own processor time, which other processes do not count in. Of the 16.7 ms of a
 * frame 5 were measured, and 9 to 12 when each token had the whole page painted anew.
 */
const FRAME_CPU_MS = 9;
/** More than two frames long: late. The clock tells that too, so some are allowed beyond the control's. */
const LATE_FRAMES = 2.5;
const LATE_SHARE = 0.05;

// A trace takes pictures of the page, which takes the page's own time.
test.use({ trace: 'off' });

interface Watched {
  gaps: number[];
  longTasks: number[];
}

/** From now on, the time between two frames and the tasks that the browser calls long. */
async function watch(page: Page): Promise<() => Promise<Watched>> {
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
  return () => page.evaluate(() => (window as unknown as { watched: Watched }).watched);
}

/**
 * The run is in this phase. Not by expect(), which looks again and again, and at the whole page each time:
 * that takes the main thread longer than a frame, and the test would count what it makes late itself.
 */
const reached = (page: Page, phase: string) =>
  page.evaluate(
    (phase) =>
      new Promise<void>((resolve) => {
        const main = document.querySelector('main')!;
        const look = () => main.dataset.phase === phase && resolve();
        new MutationObserver(look).observe(main, { attributes: true });
        look();
      }),
    phase,
  );

/** Processor time of the page's main thread, in seconds: other processes do not count. */
async function mainThread(client: CDPSession): Promise<Record<string, number>> {
  const { metrics } = await client.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

const late = (gaps: number[]) => gaps.filter((ms) => ms > LATE_FRAMES * FRAME_MS).length;

function told(gaps: number[]): string {
  const sorted = [...gaps].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1);
  return `${gaps.length} frames, gaps ${at(0.5)} ms median, ${at(0.99)} p99, ${at(1)} longest, ${late(gaps)} late`;
}

/** The same engine on a page that draws nothing but a number each frame: what this machine is able to. */
async function gapsOfControl(page: Page): Promise<number[]> {
  await page.evaluate(
    async ({ url, prompt }) => {
      const model = await window.kvscope.loadModel(url);
      const session = await model.createSession();
      await session.prefill(prompt);
      Object.assign(window, { session });
      const text = document.body.appendChild(document.createElement('p'));
      let n = 0;
      const frame = () => {
        text.textContent = String(n++);
        requestAnimationFrame(frame);
      };
      frame();
    },
    { url: REAL_MODEL, prompt: PROMPT },
  );
  const watched = await watch(page);
  await page.evaluate(async (maxTokens) => {
    const { session } = window as unknown as { session: import('../../web/src/api/index').Session };
    await window.collect(session.generate({ maxTokens, ignoreEos: true }));
  }, TOKENS);
  return (await watched()).gaps;
}

test(`the main thread has time for 60 frames a second while SmolLM2 decodes ${TOKENS} tokens`, async ({
  page,
  site,
}) => {
  test.setTimeout(180_000 + 600 * TOKENS);
  await openHarness(page, site);
  const control = await gapsOfControl(page);

  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`${site.url}index.html?lang=en&src=${encodeURIComponent(REAL_MODEL)}`);
  await expect(page.locator('.facts')).toBeVisible({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Continue text' }).click();
  await setLength(page, TOKENS);
  await page.locator('#prompt').fill(PROMPT);
  const watched = await watch(page);
  await page.locator('[data-action=run]').click();
  await reached(page, 'decode');
  const [start, skip] = [await mainThread(client), (await watched()).gaps.length];
  await reached(page, 'idle');
  const end = await mainThread(client);
  const { gaps, longTasks } = await watched();
  const frames = gaps.slice(skip);
  const cpu = (name: string) => (1000 * (end[name]! - start[name]!)) / frames.length;
  const description = [
    `${TOKENS} tokens: ${told(frames)}`,
    `control: ${told(control)}`,
    `long tasks: ${longTasks.map((ms) => ms.toFixed(0)).join(', ') || 'none'}`,
    ...['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'].map(
      (name) => `${name} ${cpu(name).toFixed(2)} ms a frame`,
    ),
  ].join('; ');
  test.info().annotations.push({ type: 'measured', description });
  const long = longTasks.filter((ms) => ms > LONG_TASK_MS);
  expect(long.length).toBeLessThanOrEqual(LONG_TASKS_PER_TOKEN * TOKENS);
  expect(cpu('TaskDuration')).toBeLessThan(FRAME_CPU_MS);
  const share = late(control) / control.length;
  expect(late(frames) / frames.length).toBeLessThan(share + LATE_SHARE);
});
