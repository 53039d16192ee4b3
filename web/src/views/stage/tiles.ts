/** Narrow enough that a new column has little more than itself drawn again. */
const TILE_WIDTH = 256;

export interface TileDrawing {
  /** What of the axis is seen, in CSS pixels. */
  from: number;
  to: number;
  width: number;
  height: number;
  /** All that decides how the tile looks: while it stays the same, the tile is left as it is. */
  keyOf(from: number, to: number): string;
  draw(context: CanvasRenderingContext2D, from: number, to: number): void;
}

interface Tile {
  canvas: HTMLCanvasElement;
  key: string;
}

/**
 * A canvas as wide as the axis, in tiles that scroll with the page and exist only near what is
 * seen: a thousand tokens would be wider than a canvas may be, and most of them do not change.
 */
export class Tiles {
  private readonly tiles = new Map<number, Tile>();

  constructor(private readonly host: HTMLElement) {}

  draw({ from, to, width, height, keyOf, draw }: TileDrawing): void {
    const first = Math.max(0, Math.floor(from / TILE_WIDTH));
    const last = Math.floor(Math.max(0, Math.min(to, width) - 1) / TILE_WIDTH);
    for (const [index, { canvas }] of this.tiles) {
      if (width > 0 && index >= first && index <= last) continue;
      canvas.remove();
      this.tiles.delete(index);
    }
    if (width === 0) return;
    for (let index = first; index <= last; index++) {
      const [x0, x1] = [index * TILE_WIDTH, (index + 1) * TILE_WIDTH];
      const tile = this.tiles.get(index) ?? this.add(index);
      const key = `${devicePixelRatio} ${height} ${keyOf(x0, x1)}`;
      if (key === tile.key) continue;
      tile.key = key;
      const context = prepare(tile.canvas, height);
      context.translate(-x0, 0);
      draw(context, x0, x1);
    }
  }

  private add(index: number): Tile {
    const canvas = document.createElement('canvas');
    canvas.style.left = `${index * TILE_WIDTH}px`;
    this.host.append(canvas);
    const tile = { canvas, key: '' };
    this.tiles.set(index, tile);
    return tile;
  }
}

function prepare(canvas: HTMLCanvasElement, height: number): CanvasRenderingContext2D {
  const scale = devicePixelRatio || 1;
  const [w, h] = [Math.round(TILE_WIDTH * scale), Math.round(height * scale)];
  if (canvas.width !== w || canvas.height !== h) {
    Object.assign(canvas, { width: w, height: h });
    Object.assign(canvas.style, { width: `${TILE_WIDTH}px`, height: `${height}px` });
  }
  const context = canvas.getContext('2d')!;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, TILE_WIDTH, height);
  return context;
}
