// What one cell of the map draws.

export interface Bars {
  /** An SVG path in a box as wide as there are bars, 1 high: a bar for each token, as high as its weight. */
  path: string;
  bars: number;
  /** The position with the largest weight. */
  heaviest: number;
}

/** The map is as narrow as a phone: more bars than these beside each other could not be seen. */
const BARS_ACROSS = 200;
const [MIN_BARS, MAX_BARS] = [8, 64];
/** Up to so many, bars stand apart. */
const MAX_APART = 16;
/** Lower than this is not to be seen. */
const MIN_HEIGHT = 0.002;

/** Tokens summed in a bar, so that a row of so many heads has room for all. */
export function tokensPerBar(tokens: number, heads: number): number {
  const bars = Math.max(MIN_BARS, Math.min(MAX_BARS, Math.floor(BARS_ACROSS / heads)));
  return Math.max(1, Math.ceil(tokens / bars));
}

const made = new WeakMap<readonly number[], Bars>();

/** weights: of one of so many heads, in the order of the positions. Made once for a list. */
export function barsOf(weights: readonly number[], heads: number): Bars {
  const known = made.get(weights);
  if (known) return known;
  const perBar = tokensPerBar(weights.length, heads);
  const heights: number[] = [];
  let heaviest = 0;
  weights.forEach((weight, position) => {
    const bar = Math.floor(position / perBar);
    heights[bar] = (heights[bar] ?? 0) + weight;
    if (weight > weights[heaviest]!) heaviest = position;
  });
  const gap = heights.length <= MAX_APART ? 0.08 : 0;
  const path = heights
    .map((height, i) => {
      if (height < MIN_HEIGHT) return '';
      return `M${i + gap} 1V${(1 - Math.min(1, height)).toFixed(4)}H${i + 1 - gap}V1`;
    })
    .join('');
  const bars = { path, bars: heights.length, heaviest };
  made.set(weights, bars);
  return bars;
}
