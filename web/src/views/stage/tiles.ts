const TILE_WIDTH = 1024;

export type DrawTile = (context: CanvasRenderingContext2D, from: number, to: number) => void;

/**
 * A canvas as wide as the axis, in tiles that scroll with the page and exist only near what is
 * seen: a thousand tokens would be wider than a canvas may be.
 */
export class Tiles {
  private readonly tiles = new Map<number, HTMLCanvasElement>();

  constructor(private readonly host: HTMLElement) {}

  /** from, to: what is seen of the axis, in CSS pixels. */
  draw(from: number, to: number, width: number, height: number, draw: DrawTile): void {
    const first = Math.max(0, Math.floor(from / TILE_WIDTH));
    const last = Math.floor(Math.max(0, Math.min(to, width) - 1) / TILE_WIDTH);
    for (const [index, canvas] of this.tiles) {
      if (index >= first && index <= last) continue;
      canvas.remove();
      this.tiles.delete(index);
    }
    for (let index = first; index <= last; index++) {
      const x = index * TILE_WIDTH;
      const tileWidth = Math.min(TILE_WIDTH, Math.max(1, Math.ceil(width - x)));
      const context = this.prepare(index, tileWidth, height);
      context.translate(-x, 0);
      draw(context, x, x + tileWidth);
    }
  }

  private prepare(index: number, width: number, height: number): CanvasRenderingContext2D {
    let canvas = this.tiles.get(index);
    if (!canvas) {
      canvas = document.createElement('canvas');
      canvas.style.left = `${index * TILE_WIDTH}px`;
      this.host.append(canvas);
      this.tiles.set(index, canvas);
    }
    const scale = devicePixelRatio || 1;
    const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== w || canvas.height !== h) {
      Object.assign(canvas, { width: w, height: h });
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    const context = canvas.getContext('2d')!;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  }
}
