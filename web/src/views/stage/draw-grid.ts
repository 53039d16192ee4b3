import type { Column } from './axis';
import { centre } from './axis';
import type { Scene } from './scene';

type Context = CanvasRenderingContext2D;

/** The cache: a K square and a V disc for each token and row; rows from the last layer down. */
export function drawGrid(context: Context, scene: Scene, from: number, to: number): void {
  const { axis, moment, palette } = scene;
  bandOfLayer(context, scene, from, to);
  const [first, last] = axis.within(from, to);
  for (const column of axis.columns.slice(first, Math.min(last, moment.tokens))) {
    const { position } = column;
    if (position === scene.selected) frame(context, scene, column);
    const fresh = position >= moment.freshFrom && position < moment.cached;
    for (let row = 0; row < rowCount(scene); row++) {
      const filled =
        position < moment.cached && (!fresh || layerOfRow(scene, row) < scene.layersShown);
      context.globalAlpha = filled && !fresh ? 0.55 : 1;
      context.fillStyle = palette.k;
      context.strokeStyle = palette.line;
      cell(context, scene, column, row, filled);
    }
    context.globalAlpha = 1;
  }
}

export function rowCount({ run, byHead }: Scene): number {
  return run.model.layers * (byHead ? run.model.kvHeads : 1);
}

export function layerOfRow({ run, byHead }: Scene, row: number): number {
  const { layers, kvHeads } = run.model;
  return layers - 1 - Math.floor(row / (byHead ? kvHeads : 1));
}

function cell(context: Context, scene: Scene, column: Column, row: number, filled: boolean): void {
  const { geometry, palette } = scene;
  const { rowHeight, grid } = geometry;
  const size = Math.min(rowHeight - 2, 13);
  const y = grid.y + row * rowHeight + rowHeight / 2;
  const x = centre(column);
  const offset = size / 2 + 2.5;
  if (!filled) {
    // Not in the cache yet: the place is there, and empty.
    if (size < 5) return;
    context.lineWidth = 1;
    context.strokeRect(x - offset - size / 2 + 0.5, y - size / 2 + 0.5, size - 1, size - 1);
    disc(context, x + offset, y, size / 2 - 0.5);
    context.stroke();
    return;
  }
  context.fillStyle = palette.k;
  context.fillRect(x - offset - size / 2, y - size / 2, size, size);
  context.fillStyle = palette.v;
  disc(context, x + offset, y, size / 2);
  context.fill();
}

function disc(context: Context, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

/** The layer that is asked about, across all columns. */
function bandOfLayer(context: Context, scene: Scene, from: number, to: number): void {
  const { geometry, run, byHead, palette } = scene;
  const { heads, kvHeads, layers } = run.model;
  const perLayer = byHead ? kvHeads : 1;
  const kvHead = byHead ? Math.floor((scene.head * kvHeads) / heads) : 0;
  const row = (layers - 1 - scene.layer) * perLayer + kvHead;
  context.fillStyle = palette.tint;
  const y = geometry.grid.y + row * geometry.rowHeight;
  context.fillRect(from, y, to - from, geometry.rowHeight);
  // A line as well, where colours are forced and the band is not to be seen.
  context.fillStyle = palette.line;
  context.fillRect(from, y + geometry.rowHeight - 1, to - from, 1);
}

function frame(context: Context, { geometry, palette }: Scene, { x, width }: Column): void {
  const { grid, chips } = geometry;
  const top = chips.y + chips.height + 3;
  context.strokeStyle = palette.ink;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, top + 0.5, width - 1, grid.y + grid.height + 3 - top);
}
