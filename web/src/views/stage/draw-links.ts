import { type Column, centre } from './axis';
import type { Scene } from './scene';

type Context = CanvasRenderingContext2D;

/** More lines than these would be a smear: the heaviest are drawn. */
const MAX_LINKS = 48;
const MAX_LINE = 9;
const RING = 9;

/** This step's question: from the column that asks to those it looks at, as wide as the weight. */
export function drawLinks(context: Context, scene: Scene, from: number, to: number): void {
  const { axis, moment, look, palette, geometry } = scene;
  const asker = axis.columns[moment.asker];
  if (!asker) return;
  const { y, height } = geometry.links;
  const foot = y + height - 14;
  if (look?.weights && look.position === moment.asker) {
    const heaviest = look.weights
      .map((weight, position) => ({ weight, column: axis.columns[position] }))
      .filter((link): link is { weight: number; column: Column } => link.column !== undefined)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, MAX_LINKS);
    for (const { weight, column } of heaviest) {
      link(context, scene, { asker, column, weight, foot });
      share(context, scene, { column, weight, foot: y + height - 1 });
    }
  }
  context.globalAlpha = 1;
  const x = centre(asker);
  // Setting a font has the browser style the page at once: not for a ring that is elsewhere.
  if (x + RING + 2 > from && x - RING - 2 < to) ring(context, x, y + RING + 2, palette);
}

interface Link {
  asker: Column;
  column: Column;
  weight: number;
  foot: number;
}

function link(
  context: Context,
  { palette, geometry }: Scene,
  { asker, column, weight, foot }: Link,
) {
  const [from, to] = [centre(asker), centre(column)];
  const top = geometry.links.y + RING + 2;
  context.strokeStyle = palette.q;
  context.lineWidth = Math.max(0.75, weight * MAX_LINE);
  context.globalAlpha = 0.2 + 0.7 * weight;
  context.beginPath();
  context.moveTo(from + (to < from ? -RING : to > from ? RING : 0), top + (to === from ? RING : 0));
  if (to === from) context.lineTo(to, foot);
  else context.bezierCurveTo(to + (from - to) * 0.3, top, to, top + 6, to, foot);
  context.stroke();
}

/** The weight in per cent over its column; what is under one per cent is left to the table. */
function share(
  context: Context,
  { palette }: Scene,
  at: { column: Column; weight: number; foot: number },
) {
  if (at.weight < 0.005) return;
  context.globalAlpha = 1;
  context.fillStyle = palette.ink;
  context.font = `11px ${palette.font}`;
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  context.fillText(`${Math.round(100 * at.weight)}%`, centre(at.column), at.foot);
}

/** Q is a ring: neither K's square nor V's disc. It visits, and nothing of it stays. */
function ring(context: Context, x: number, y: number, { q, font, paper }: Scene['palette']): void {
  context.beginPath();
  context.arc(x, y, RING, 0, 2 * Math.PI);
  context.fillStyle = paper;
  context.fill();
  context.strokeStyle = q;
  context.lineWidth = 2.5;
  context.stroke();
  context.fillStyle = q;
  context.font = `600 11px ${font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText('Q', x, y + 0.5);
}
