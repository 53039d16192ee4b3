import type { Inspection, ProjectionRows } from '../api/types';

type Vectors =
  | 'x'
  | 'q'
  | 'qRotated'
  | 'kProjected'
  | 'vProjected'
  | 'scores'
  | 'weights'
  | 'mixed';

/**
 * What the engine showed of one layer and head in the pass of one position, in a form that survives
 * JSON. k and v are those in the cache; the others exist only for the position that was just computed.
 */
export interface Look extends Record<Vectors, number[] | null> {
  layer: number;
  head: number;
  kvHead: number;
  position: number;
  k: number[];
  v: number[];
}

/** The rows of W_Q, W_K and W_V that make one head's q, k and v. */
export interface HeadMatrices {
  layer: number;
  head: number;
  wq: MatrixRows;
  wk: MatrixRows;
  wv: MatrixRows;
}

export interface MatrixRows extends Omit<ProjectionRows, 'values'> {
  /** [headDim, cols], row-major. */
  values: number[];
}

const numbers = (values: Float32Array | null): number[] | null => values && Array.from(values);

export function lookOf(seen: Inspection): Look {
  const { layer, head, kvHead, position } = seen;
  return {
    ...{ layer, head, kvHead, position },
    k: Array.from(seen.k),
    v: Array.from(seen.v),
    x: numbers(seen.x),
    q: numbers(seen.q),
    qRotated: numbers(seen.qRotated),
    kProjected: numbers(seen.kProjected),
    vProjected: numbers(seen.vProjected),
    scores: numbers(seen.scores),
    weights: numbers(seen.weights),
    mixed: numbers(seen.mixed),
  };
}

export function matricesOf({ layer, head, wq, wk, wv }: Inspection): HeadMatrices {
  const rows = (of: ProjectionRows): MatrixRows => ({ ...of, values: Array.from(of.values) });
  return { layer, head, wq: rows(wq), wk: rows(wk), wv: rows(wv) };
}

export function sameSpot(
  a: { layer: number; head: number; position: number },
  b: { layer: number; head: number; position: number },
): boolean {
  return a.layer === b.layer && a.head === b.head && a.position === b.position;
}
