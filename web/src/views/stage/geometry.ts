// Where the rows of the stage lie, in CSS pixels from its top. Fixed by the model's shape alone.
export interface Row {
  y: number;
  height: number;
}

export interface Geometry {
  phases: Row;
  links: Row;
  chips: Row;
  grid: Row;
  rowHeight: number;
  bytes: Row;
  cached: Row;
  uncached: Row;
  height: number;
}

const GRID_HEIGHT = 240;
const MAX_ROW = 22;
const MIN_ROW = 5;
const GAP = 10;

/** rows: layers, or layers × KV heads when they are unfolded. */
export function geometryOf(rows: number): Geometry {
  const rowHeight = Math.max(MIN_ROW, Math.min(MAX_ROW, Math.floor(GRID_HEIGHT / rows)));
  let y = 0;
  const row = (height: number): Row => {
    const at = { y, height };
    y += height + GAP;
    return at;
  };
  return {
    phases: row(20),
    links: row(84),
    chips: row(52),
    grid: row(rows * rowHeight),
    bytes: row(44),
    cached: row(52),
    uncached: row(52),
    rowHeight,
    height: y,
  };
}
