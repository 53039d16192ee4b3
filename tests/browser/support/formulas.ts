// The counts that the API's documentation promises, written down a second time.
import type { SHAPE } from './tiny-llama';

type Shape = Omit<typeof SHAPE, 'contextLength'>;

/** Multiply-accumulates of passing positions from … to − 1 through the layers. */
export function layerMacs(shape: Shape, from: number, to: number): number {
  const { layers, heads, kvHeads, headDim, dim, ffnDim } = shape;
  const matrices = 2 * dim * heads * headDim + 2 * dim * kvHeads * headDim + 3 * dim * ffnDim;
  let macs = 0;
  for (let position = from; position < to; position++) {
    macs += layers * (matrices + 2 * heads * headDim * (position + 1));
  }
  return macs;
}

export function kvBytes(shape: Shape, elementBytes: number, tokens: number): number {
  return 2 * shape.layers * shape.kvHeads * shape.headDim * elementBytes * tokens;
}
