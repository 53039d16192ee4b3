// Counts what is really painted on the stage's canvas, by colour and connectedness.
import type { Page } from '@playwright/test';

/** Connected patches of K's and of V's colour in the grid of the cache, whole or lightened. */
export async function countShapes(page: Page): Promise<{ squares: number; discs: number }> {
  // Drawn on the next frame.
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))),
  );
  return page.locator('kv-stage').evaluate((stage) => {
    const root = stage.shadowRoot!;
    const [layers, bytesRow] = ['.gutter .layers', '.gutter .layers + div'].map(
      (selector) => root.querySelector<HTMLElement>(selector)!.offsetTop,
    ) as [number, number];
    const color = (name: string) => {
      const probe = root.querySelector('.canvas')!.appendChild(document.createElement('i'));
      probe.style.color = `var(--_${name})`;
      const rgb = getComputedStyle(probe)
        .color.match(/[\d.]+/g)!
        .map(Number);
      probe.remove();
      return rgb as [number, number, number];
    };
    const count = (data: ImageData, [r, g, b]: [number, number, number]) => {
      const { width, height, data: pixels } = data;
      // Older cells are lightened: on the bare canvas by alpha, on the band of a layer by mixing.
      const tint = color('tint');
      const mixed = [r, g, b].map((part, i) => 0.55 * part + 0.45 * tint[i]!) as typeof tint;
      const is = (i: number, [r, g, b]: typeof tint) =>
        Math.abs(pixels[i]! - r) + Math.abs(pixels[i + 1]! - g) + Math.abs(pixels[i + 2]! - b) < 24;
      const near = (i: number) => pixels[i + 3]! > 110 && (is(i, [r, g, b]) || is(i, mixed));
      const seen = new Uint8Array(width * height);
      let patches = 0;
      for (let start = 0; start < seen.length; start++) {
        if (seen[start] || !near(4 * start)) continue;
        patches++;
        const stack = [start];
        while (stack.length > 0) {
          const at = stack.pop()!;
          if (seen[at] || !near(4 * at)) continue;
          seen[at] = 1;
          const x = at % width;
          if (x > 0) stack.push(at - 1);
          if (x < width - 1) stack.push(at + 1);
          if (at >= width) stack.push(at - width);
          if (at < seen.length - width) stack.push(at + width);
        }
      }
      return patches;
    };
    // The tiles as one picture, since a shape may lie across two of them.
    const tiles = [...root.querySelectorAll('canvas')];
    if (tiles.length === 0) return { squares: 0, discs: 0 };
    const scale = devicePixelRatio;
    const lefts = tiles.map((tile) => Number.parseFloat(tile.style.left) * scale);
    const left = Math.min(...lefts);
    const whole = document.createElement('canvas');
    whole.width = Math.max(...lefts) + tiles[0]!.width - left;
    whole.height = (bytesRow - layers) * scale;
    const context = whole.getContext('2d')!;
    tiles.forEach((tile, i) => {
      context.drawImage(tile, lefts[i]! - left, -layers * scale);
    });
    const data = context.getImageData(0, 0, whole.width, whole.height);
    return { squares: count(data, color('k')), discs: count(data, color('v')) };
  });
}
