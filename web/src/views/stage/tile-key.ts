// What a tile's look depends on. A tile whose columns are all settled keeps its key, step after step.
import { bytesScale } from './draw-costs';
import type { Scene } from './scene';

const ids = new WeakMap<object, number>();
let lastId = 0;

/** A number for an object: the same one as long as it is the same object. */
function idOf(object: object | null): number {
  if (!object) return 0;
  if (!ids.has(object)) ids.set(object, ++lastId);
  return ids.get(object)!;
}

export function tileKey(scene: Scene, from: number, to: number): string {
  const { run, axis, moment, selected, look } = scene;
  const [first, last] = axis.within(from, to);
  const inside = (position: number) => Math.max(first - 1, Math.min(position, last));
  const fresh = [inside(moment.freshFrom), inside(moment.cached)];
  const isFresh = fresh[0] !== fresh[1];
  // Links cross tiles; without them the asker is only the ring over its own column.
  const hasLinks = look?.weights && look.position === moment.asker;
  const asker = hasLinks ? `${moment.asker} ${idOf(look)}` : inside(moment.asker);
  return [
    ...[idOf(run), idOf(run.uncached), idOf(scene.palette), run.uncached?.steps.length],
    ...[scene.byHead, scene.layer, scene.head, scene.metric, scene.costScale],
    ...[first, last, Math.min(axis.width, to), inside(moment.tokens), ...fresh, moment.frame > 0],
    ...[bytesScale(moment.tokens), isFresh && scene.layersShown, asker],
    selected !== null && inside(selected),
  ].join(' ');
}
