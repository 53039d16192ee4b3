// From nothing to the first generated token on the page as it opens: bytes over the wire, and how long
// after the model's last byte the token is seen. Used by `npm run bench` and by the browser tests.
import { launchChromium } from './chromium.mjs';
import { summarise } from './stats.mjs';

/** Runs in the page: presses Run as soon as that is possible, notes when the first token is drawn. */
function pressRunAtOnce() {
  const find = (selector) => {
    const hosts = [...document.querySelectorAll('*')].filter(({ shadowRoot }) => shadowRoot);
    const roots = [document, ...hosts.map(({ shadowRoot }) => shadowRoot)];
    return roots.map((root) => root.querySelector(selector)).find(Boolean);
  };
  let pressed = false;
  const look = () => {
    const button = find('[data-action=run]');
    if (!pressed && button && !button.disabled) {
      pressed = true;
      button.click();
    }
    if (find('[data-row=output] .chip'))
      globalThis.firstTokenAt = performance.timeOrigin + performance.now();
    else requestAnimationFrame(look);
  };
  look();
}

/**
 * Opens the server's index.html, as a browser context sees it that has nothing in its cache. Resolves to
 *   bytes   sent by the server until the token was there, headers included
 *   ms      from the arrival of the model's last byte to the token in the document
 */
export async function firstToken(page, server) {
  const model = page.waitForEvent('requestfinished', (request) => request.url().endsWith('.gguf'));
  const sentBefore = server.bytesSent();
  await page.addInitScript(pressRunAtOnce);
  await page.goto(`${server.url}index.html`);
  const shownAt = await (await page.waitForFunction(() => globalThis.firstTokenAt)).jsonValue();
  const bytes = server.bytesSent() - sentBefore;
  const { startTime, responseEnd } = (await model).timing();
  return { bytes, ms: shownAt - (startTime + responseEnd) };
}

/** Each time in a browser that has seen nothing before. */
export async function measureFirstToken(server, { runs }) {
  const samples = [];
  let bytes;
  for (let run = -1; run < runs; run++) {
    const browser = await launchChromium();
    try {
      const result = await firstToken(await browser.newPage(), server);
      bytes = result.bytes;
      if (run >= 0) samples.push(result.ms); // before that the files enter the system's cache
    } finally {
      await browser.close();
    }
  }
  return { bytes, ms: summarise(samples) };
}
