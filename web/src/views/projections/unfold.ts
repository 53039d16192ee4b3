import { html, nothing, type TemplateResult } from 'lit';
import type { HeadMatrices, Look, MatrixRows } from '../../record/looks';
import type { RunRecord } from '../../record/record';
import type { Line } from '../../sources/projections';
import type { Lang } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';
import { figure, type Sentence, sentence } from '../figure';
import { room } from '../room';
import type { Projection } from './projections';

export interface Sum {
  name: Projection;
  matrix: MatrixRows;
  result: number[];
  x: number[];
  row: number;
  /** Where all of it stands. */
  run: RunRecord;
  look: Look;
  matrices: HeadMatrices;
}

interface Unfolding {
  name: Projection;
  /** null: not known yet; the place is kept. */
  sum: Sum | null;
  /** Products in a row: the model's dim. */
  terms: number;
  precision: 'fast' | 'high';
}

const DIGITS = 4;
const WIDEST = '−00.0000';

/** One number of q, k or v: row × x, product by product, with the running sum and the engine's own number. */
export function unfold(
  { name, sum, terms, precision }: Unfolding,
  t: ViewStrings,
  lang: Lang,
): TemplateResult {
  const write = writer(lang);
  const known = sum && productsOf(sum);
  const equation = (label: string, products: string[], total: unknown) =>
    html`${label} = ${products.join(' + ')} + … = <strong>${total}</strong>`;
  const firstOf = known?.lines.slice(0, 3).map((p) => `(${write(p.weight)} × ${write(p.x)})`);
  const longest = Array(3).fill(`(${WIDEST} × ${WIDEST})`).join(' + ');
  const total = known && figure(write(known.sum), (from) => from.projections.sum(known.lines));
  const says = (...places: string[]) =>
    `${t.engineSays(places[0]!, places[1]!)} ${t.engineRounds[precision]} ${t.thenRotated}`;
  return html`
    <p class="sum" data-sum=${known?.sum ?? nothing} data-engine=${known?.engine ?? nothing}>${room(
      `${name}[000] = ${longest} + … = ${WIDEST}`,
      known ? equation(`${name}[${sum.row}]`, firstOf!, total) : `${name} = …`,
    )}</p>
    <p class="note muted">${room(
      says(WIDEST, WIDEST),
      known ? engineSays(sum, known, says, write) : nothing,
    )}</p>
    <details>
      <summary>${t.allProducts(String(terms))}</summary>
      <div class="scroll products" tabindex="0" role="group" aria-label=${t.allProducts(String(terms))}>
        ${known ? productTable(known.lines, sum, t, lang) : nothing}
      </div>
    </details>
  `;
}

type Known = ReturnType<typeof productsOf>;

/** The engine's own number, and how far the sum is from it. */
function engineSays(
  { name, row, run, look }: Sum,
  { sum, engine }: Known,
  says: (...places: string[]) => string,
  write: (n: number) => string,
): Sentence {
  const field = ({ q: 'q', k: 'kProjected', v: 'vProjected' } as const)[name];
  const figures = [
    figure(write(engine), (from) => from.projections.element(run, look, field, row)),
    figure(write(Math.abs(engine - sum)), (from) => from.projections.difference(sum, engine)),
  ];
  return sentence(figures, says);
}

function productsOf({ matrix, result, x, row }: Sum) {
  const weights = matrix.values.slice(row * matrix.cols, (row + 1) * matrix.cols);
  let sum = 0;
  const lines: Line[] = weights.map((weight, i) => {
    sum += weight * x[i]!;
    return { weight, x: x[i]!, product: weight * x[i]!, sum };
  });
  return { lines, sum, engine: result[row]! };
}

function productTable(lines: Line[], sum: Sum, t: ViewStrings, lang: Lang): TemplateResult {
  const write = writer(lang);
  const { row, run, look, matrices, name } = sum;
  const cells = (line: Line, i: number) => html`
    <td>${figure(write(line.weight), (from) => from.projections.weight(run, matrices, `w${name}`, row, i))}</td>
    <td>${figure(write(line.x), (from) => from.projections.element(run, look, 'x', i))}</td>
    <td data-product=${line.product}>${figure(write(line.product), (from) => from.projections.product(line))}</td>
    <td>${figure(write(line.sum), (from) => from.projections.sumSoFar(lines, i))}</td>`;
  return html`<table>
    <thead><tr><th scope="col">i</th><th scope="col">W[${row}, i]</th><th scope="col">x[i]</th><th scope="col">W × x</th><th scope="col">${t.sumSoFar}</th></tr></thead>
    <tbody>
      ${lines.map((line, i) => html`<tr><th scope="row">${i}</th>${cells(line, i)}</tr>`)}
    </tbody>
  </table>`;
}

function writer(lang: Lang): (n: number) => string {
  const digits = { minimumFractionDigits: DIGITS, maximumFractionDigits: DIGITS };
  return (n) => n.toLocaleString(lang, digits).replace('-', '−');
}
