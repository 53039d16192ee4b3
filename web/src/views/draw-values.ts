// Many numbers as cells on a canvas.

type Context = CanvasRenderingContext2D;

interface Hues {
  positive: string;
  negative: string;
}

/** Cells narrower or lower than this, in pixels of the screen, are painted as one picture. */
const MIN_CELL = 3;

/** values: [rows, cols], row-major, over the whole canvas; stronger the further from zero, full at ±max. */
export function drawValues(
  context: Context,
  values: readonly number[],
  { rows, cols, max }: { rows: number; cols: number; max: number },
  hues: Hues,
): void {
  const { width, height } = context.canvas;
  const [w, h] = [width / cols, height / rows];
  if (w < MIN_CELL || h < MIN_CELL) {
    drawPicture(context, values, { rows, cols, max }, hues);
    return;
  }
  values.forEach((value, i) => {
    context.globalAlpha = Math.abs(value) / max;
    context.fillStyle = value >= 0 ? hues.positive : hues.negative;
    const [x, y] = [(i % cols) * w, Math.floor(i / cols) * h];
    context.fillRect(Math.floor(x), Math.floor(y), Math.ceil(w), Math.ceil(h));
    // In grey alone a negative number could be taken for a positive one.
    if (value < 0 && w > 5 && h > 5) context.fillRect(x + w / 4, y + h / 2, w / 2, 1);
  });
  context.globalAlpha = 1;
}

/**
 * A pixel a number, then scaled: a matrix of a real model has tens of thousands, and a rectangle for
 * each of them takes the page longer than a frame.
 */
function drawPicture(
  context: Context,
  values: readonly number[],
  { rows, cols, max }: { rows: number; cols: number; max: number },
  hues: Hues,
): void {
  const { canvas } = context;
  const picture = Object.assign(document.createElement('canvas'), { width: cols, height: rows });
  const ink = picture.getContext('2d')!;
  // Where a pixel takes several numbers it shows their mean; where not, cells keep their edges.
  context.imageSmoothingEnabled = cols > canvas.width || rows > canvas.height;
  for (const [sign, hue] of [
    [1, hues.positive],
    [-1, hues.negative],
  ] as const) {
    const mask = new ImageData(cols, rows);
    values.forEach((value, i) => {
      mask.data[4 * i + 3] = Math.max(0, (255 * sign * value) / max);
    });
    ink.putImageData(mask, 0, 0);
    ink.globalCompositeOperation = 'source-in';
    ink.fillStyle = hue;
    ink.fillRect(0, 0, cols, rows);
    ink.globalCompositeOperation = 'source-over';
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  }
}
