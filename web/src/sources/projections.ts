// Where q, k and v come from: shapes, products, sums.
import type { HeadMatrices, Look } from '../record/looks';
import type { RunRecord } from '../record/record';
import { minus, plus, recorded, term, times } from './formula';
import { lookField } from './question';
import { checked, type Source, worked } from './source';

type Vector = 'x' | 'q' | 'k' | 'v' | 'kProjected' | 'vProjected';
type Matrix = 'wq' | 'wk' | 'wv';

/** So many products are written out. */
const PRODUCTS = 3;
/** Products that are added in another order differ in the last digits. */
const SUM_TOLERANCE = 1e-9;

const matrixField = (run: RunRecord, matrices: HeadMatrices, name: Matrix) =>
  `matrices[${run.matrices.indexOf(matrices)}].${name}`;

export function element(run: RunRecord, look: Look, name: Vector, index: number): Source {
  const field = `${lookField(run, look)}.${name}[${index}]`;
  return { how: 'looked', unit: '', value: look[name]![index]!, field };
}

export function rows(run: RunRecord, matrices: HeadMatrices, name: Matrix): Source {
  const { heads, kvHeads, headDim } = run.model;
  const count = name === 'wq' ? term(heads, 'heads') : term(kvHeads, 'kvHeads');
  return checked({
    ...{ how: 'file', unit: 'rows', value: matrices[name].rows },
    field: `${matrixField(run, matrices, name)}.rows`,
    formula: times(count, term(headDim, 'headDim')),
  });
}

export function cols(run: RunRecord, matrices: HeadMatrices, name: Matrix): Source {
  return checked({
    ...{ how: 'file', unit: 'numbers', value: matrices[name].cols },
    field: `${matrixField(run, matrices, name)}.cols`,
    formula: term(run.model.dim, 'dim'),
  });
}

/** The first row of this head, and the last. */
export function firstRow(run: RunRecord, matrices: HeadMatrices, name: Matrix): Source {
  const { headDim } = run.model;
  const value = matrices[name].firstRow;
  return {
    ...worked(times(term(value / headDim, 'head'), term(headDim, 'headDim')), '', 'shape'),
    ...{ field: `${matrixField(run, matrices, name)}.firstRow`, note: 'position' },
  };
}

export function lastRow(run: RunRecord, matrices: HeadMatrices, name: Matrix): Source {
  const field = `${matrixField(run, matrices, name)}.firstRow`;
  const from = recorded(matrices[name].firstRow, field);
  const formula = minus(plus(from, term(run.model.headDim, 'headDim')), term(1));
  return { ...worked(formula, '', 'shape'), note: 'position' };
}

export const weight = (
  run: RunRecord,
  matrices: HeadMatrices,
  name: Matrix,
  row: number,
  col: number,
): Source => {
  const index = row * matrices[name].cols + col;
  const field = `${matrixField(run, matrices, name)}.values[${index}]`;
  return { how: 'file', unit: '', value: matrices[name].values[index]!, field };
};

export interface Line {
  weight: number;
  x: number;
  product: number;
  sum: number;
}

export const product = ({ weight, x }: Line) => worked(times(term(weight), term(x)), '');

export const sumSoFar = (lines: Line[], i: number) =>
  worked(plus(term(lines[i - 1]?.sum ?? 0, 'before'), term(lines[i]!.product)), '');

/** Row × x, as the page adds it up. */
export function sum(lines: Line[]): Source {
  const value = lines.at(-1)!.sum;
  const first = lines.slice(0, PRODUCTS);
  const others = lines.slice(PRODUCTS).reduce((all, { product }) => all + product, 0);
  const formula = plus(
    ...first.map(({ weight, x }) => times(term(weight), term(x))),
    term(others, 'others'),
  );
  return checked({ ...worked(formula, ''), value, formula }, SUM_TOLERANCE);
}

export function difference(sum: number, engine: number): Source {
  const [a, b] = sum > engine ? ([sum, engine] as const) : ([engine, sum] as const);
  const name = (n: number) => (n === sum ? 'sum' : 'engine');
  return worked(minus(term(a, name(a)), term(b, name(b))), '');
}
