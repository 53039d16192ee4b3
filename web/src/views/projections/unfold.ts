import { html, nothing, type TemplateResult } from 'lit';
import type { MatrixRows } from '../../record/looks';
import type { Lang } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';
import { room } from '../room';
import type { Projection } from './projections';

export interface Sum {
  name: Projection;
  matrix: MatrixRows;
  result: number[];
  x: number[];
  row: number;
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
  const says = (value: string, difference: string) =>
    `${t.engineSays(value, difference)} ${t.engineRounds[precision]} ${t.thenRotated}`;
  return html`
    <p class="sum" data-sum=${known?.sum ?? nothing} data-engine=${known?.engine ?? nothing}>${room(
      `${name}[000] = ${longest} + … = ${WIDEST}`,
      known ? equation(`${name}[${sum.row}]`, firstOf!, write(known.sum)) : `${name} = …`,
    )}</p>
    <p class="note muted">${room(
      says(WIDEST, WIDEST),
      known ? says(write(known.engine), write(Math.abs(known.engine - known.sum))) : nothing,
    )}</p>
    <details>
      <summary>${t.allProducts(String(terms))}</summary>
      <div class="scroll products" tabindex="0" role="group" aria-label=${t.allProducts(String(terms))}>
        ${known ? productTable(known.lines, sum.row, t, lang) : nothing}
      </div>
    </details>
  `;
}

interface Product {
  weight: number;
  x: number;
  product: number;
  sum: number;
}

function productsOf({ matrix, result, x, row }: Sum) {
  const weights = matrix.values.slice(row * matrix.cols, (row + 1) * matrix.cols);
  let sum = 0;
  const lines: Product[] = weights.map((weight, i) => {
    sum += weight * x[i]!;
    return { weight, x: x[i]!, product: weight * x[i]!, sum };
  });
  return { lines, sum, engine: result[row]! };
}

function productTable(lines: Product[], row: number, t: ViewStrings, lang: Lang): TemplateResult {
  const write = writer(lang);
  return html`<table>
    <thead><tr><th scope="col">i</th><th scope="col">W[${row}, i]</th><th scope="col">x[i]</th><th scope="col">W × x</th><th scope="col">${t.sumSoFar}</th></tr></thead>
    <tbody>
      ${lines.map(
        (line, i) => html`<tr>
          <th scope="row">${i}</th><td>${write(line.weight)}</td><td>${write(line.x)}</td>
          <td data-product=${line.product}>${write(line.product)}</td><td>${write(line.sum)}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}

function writer(lang: Lang): (n: number) => string {
  const digits = { minimumFractionDigits: DIGITS, maximumFractionDigits: DIGITS };
  return (n) => n.toLocaleString(lang, digits).replace('-', '−');
}
