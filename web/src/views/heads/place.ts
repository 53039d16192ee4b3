// Where a head stands in the map, and where the keys lead from there.
import type { ModelInfo } from '../../api/types';

export interface Place {
  layer: number;
  head: number;
}

export const isSame = (a: Place | null, b: Place) => a?.layer === b.layer && a.head === b.head;

/** Of the cell that an event happened in; null beside all of them. */
export function placeOf({ target }: Event): Place | null {
  const cell = (target as Element).closest<HTMLElement>('[role=gridcell][data-layer]');
  return cell && { layer: Number(cell.dataset.layer), head: Number(cell.dataset.head) };
}

/** Where a key leads, null with another key; up is towards the last layer, as the rows stand. */
export function placeAfter(
  { key, ctrlKey }: KeyboardEvent,
  { layer, head }: Place,
  model: ModelInfo,
): Place | null {
  const [top, right] = [model.layers - 1, model.heads - 1];
  const to = {
    ArrowLeft: { layer, head: head - 1 },
    ArrowRight: { layer, head: head + 1 },
    ArrowUp: { layer: layer + 1, head },
    ArrowDown: { layer: layer - 1, head },
    Home: { layer: ctrlKey ? top : layer, head: 0 },
    End: { layer: ctrlKey ? 0 : layer, head: right },
  }[key];
  if (!to) return null;
  return {
    layer: Math.max(0, Math.min(top, to.layer)),
    head: Math.max(0, Math.min(right, to.head)),
  };
}
