// Layout shifts, inside shadow trees too: there the browser tells where something was and is, not what it was.
import type { Page } from '@playwright/test';

/** Summed over all that a test does. 0.1 is what Lighthouse still calls good. */
export const MAX_SHIFT = 0.02;

interface Shifts {
  /** All layout shifts summed, those inside shadow trees included. */
  score: number;
  /** What moved in the document itself, by its name. */
  moved: string[];
  /** What moved inside shadow trees: what is there now, and from where it came. */
  inside: string[];
}

/** From the next page on. Move nothing by clicks: what moves soon after one is excused. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: Shifts = { score: 0, moved: [], inside: [] };
    Object.assign(window, { shifts });

    function at(rect: DOMRectReadOnly, root: Document | ShadowRoot = document): string {
      for (const element of root.querySelectorAll('*')) {
        const found = element.shadowRoot && at(rect, element.shadowRoot);
        if (found) return found;
        const { x, y, width } = element.getBoundingClientRect();
        const isThere = [x - rect.x, y - rect.y, width - rect.width].every(
          (difference) => Math.abs(difference) < 1.5,
        );
        if (isThere && root !== document) return `${element.localName}.${element.className}`;
      }
      return '';
    }

    interface Shift extends PerformanceEntry {
      value: number;
      sources: { node?: Node; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
    }
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as Shift[]) {
        shifts.score += value;
        for (const { node, previousRect: from, currentRect: to } of sources) {
          const [before, now] = [from, to].map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`);
          if (node) shifts.moved.push(node.nodeName);
          else shifts.inside.push(`${value.toFixed(4)} ${at(to)} ${before} -> ${now}`);
        }
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

export const shifts = (page: Page): Promise<Shifts> =>
  page.evaluate(() => (window as unknown as { shifts: Shifts }).shifts);
