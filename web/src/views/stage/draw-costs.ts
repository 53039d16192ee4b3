import { type Bar, costBars, niceCeiling, tallest, uncachedPasses } from './costs';
import type { Row } from './geometry';
import type { Scene } from './scene';

type Context = CanvasRenderingContext2D;

/** Bytes in the cache up to each column: K's part below, V's above. */
export function drawBytes(context: Context, scene: Scene, from: number, to: number): void {
  const { axis, moment, palette, geometry } = scene;
  const { y, height } = geometry.bytes;
  base(context, scene, geometry.bytes, from, to);
  const scale = bytesScale(moment.tokens);
  const [first, last] = axis.within(from, to);
  for (const { position, x, width } of axis.columns.slice(first, Math.min(last, moment.cached))) {
    const full = (height * (position + 1)) / scale;
    context.fillStyle = palette.k;
    context.fillRect(x + 2, y + height - full / 2, width - 4, full / 2);
    context.fillStyle = palette.v;
    context.fillRect(x + 2, y + height - full, width - 4, full / 2);
  }
}

/** Tokens at the full height of the row: doubles now and then, and does not move with every token. */
export function bytesScale(tokens: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(8, tokens)));
}

/** The two cost rows on one scale: with the cache, and the staircase without it. */
export function drawCosts(context: Context, scene: Scene, from: number, to: number): void {
  const { run, moment, metric, geometry } = scene;
  const shown = moment.frame - 1;
  const kept = shown < 0 ? [] : costBars(run, metric, shown);
  const uncached = uncachedPasses(run);
  const redone = uncached && shown >= 0 ? costBars(uncached, metric, shown) : [];
  const scale = scene.costScale;
  draw(context, scene, geometry.cached, kept, scale, from, to);
  draw(context, scene, geometry.uncached, redone, scale, from, to);
}

/** Cost per column at a row's full height: of the whole run, so that scrubbing does not rescale. */
export function costScale({ run, metric }: Pick<Scene, 'run' | 'metric'>): number {
  const uncached = uncachedPasses(run);
  const all = [run, ...(uncached ? [uncached] : [])];
  return niceCeiling(
    Math.max(...all.map((passes) => tallest(costBars(passes, metric, run.steps.length)))),
  );
}

function draw(
  context: Context,
  scene: Scene,
  row: Row,
  bars: Bar[],
  scale: number,
  from: number,
  to: number,
): void {
  base(context, scene, row, from, to);
  const { columns } = scene.axis;
  context.fillStyle = scene.palette.muted;
  for (const bar of bars) {
    const [first, last] = [columns[bar.from], columns[bar.to - 1]];
    if (!first || !last || last.x + last.width < from || first.x > to) continue;
    const cost = bar.cost / (bar.to - bar.from);
    const height = Math.max(1, (row.height * cost) / scale);
    context.fillRect(
      first.x + 2,
      row.y + row.height - height,
      last.x + last.width - first.x - 4,
      height,
    );
  }
}

function base(
  context: Context,
  { palette, axis }: Scene,
  row: Row,
  from: number,
  to: number,
): void {
  context.fillStyle = palette.line;
  context.fillRect(from, row.y + row.height, Math.min(to, axis.width) - from, 1);
}
