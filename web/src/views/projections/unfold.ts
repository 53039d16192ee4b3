import { html, type TemplateResult } from 'lit';
import type { MatrixRows } from '../../record/looks';
import type { Lang } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';
import type { Projection } from './projections';

interface Sum {
  name: Projection;
  matrix: MatrixRows;
  result: number[];
  x: number[];
  row: number;
  precision: 'fast' | 'high';
}

const DIGITS = 4;

/** One number of q, k or v: row × x, product by product, with the running sum and the engine's own number. */
export function unfold(
  { name, matrix, result, x, row, precision }: Sum,
  t: ViewStrings,
  lang: Lang,
): TemplateResult {
  const digits = { minimumFractionDigits: DIGITS, maximumFractionDigits: DIGITS };
  const write = (n: number) => n.toLocaleString(lang, digits).replace('-', '−');
  const weights = matrix.values.slice(row * matrix.cols, (row + 1) * matrix.cols);
  let sum = 0;
  const lines = weights.map((weight, i) => {
    sum += weight * x[i]!;
    return { weight, x: x[i]!, product: weight * x[i]!, sum };
  });
  const engine = result[row]!;
  const first = lines.slice(0, 3).map(({ weight, x }) => `(${write(weight)} × ${write(x)})`);
  return html`
    <p class="sum" data-sum=${sum} data-engine=${engine}>
      ${name}[${row}] = ${first.join(' + ')} + … = <strong>${write(sum)}</strong>
    </p>
    <p class="note muted">${t.engineSays(write(engine), write(Math.abs(engine - sum)))} ${t.engineRounds[precision]} ${t.thenRotated}</p>
    <details>
      <summary>${t.allProducts(String(lines.length))}</summary>
      <div class="scroll products" tabindex="0" role="group" aria-label=${t.allProducts(String(lines.length))}>
        <table>
          <thead><tr><th scope="col">i</th><th scope="col">W[${row}, i]</th><th scope="col">x[i]</th><th scope="col">W × x</th><th scope="col">${t.sumSoFar}</th></tr></thead>
          <tbody>
            ${lines.map(
              (line, i) => html`<tr>
                <th scope="row">${i}</th><td>${write(line.weight)}</td><td>${write(line.x)}</td>
                <td data-product=${line.product}>${write(line.product)}</td><td>${write(line.sum)}</td>
              </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  `;
}
