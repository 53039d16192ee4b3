import { html, nothing, type TemplateResult } from 'lit';
import type { Look } from '../../record/looks';
import type { RunRecord } from '../../record/record';
import type { Lang } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';
import { figure } from '../figure';

type Vector = 'x' | 'q' | 'k' | 'v' | 'kProjected' | 'vProjected';

/** x, and beside each other what is made of it: q, k and v, and k and v as they lie in the cache. */
export function numberTables(
  run: RunRecord | null,
  look: Look | null,
  t: ViewStrings,
  lang: Lang,
): TemplateResult {
  const digits = { minimumFractionDigits: 4, maximumFractionDigits: 4 };
  const write = (vector: Vector, i: number) => {
    const text = look?.[vector]?.[i]?.toLocaleString(lang, digits).replace('-', '−');
    return text ? figure(text, (from) => from.projections.element(run!, look!, vector, i)) : '–';
  };
  const table = (name: string, columns: [heading: string, vector: Vector][]) => {
    const known = columns.filter(([, vector]) => look?.[vector]);
    const rows = Math.max(0, ...known.map(([, vector]) => look![vector]!.length));
    return html`<div class="scroll products" data-numbers=${name} tabindex="0" role="group" aria-label=${name}>
      ${
        look
          ? html`<table>
        <thead><tr><th scope="col">i</th>${known.map(([heading]) => html`<th scope="col">${heading}</th>`)}</tr></thead>
        <tbody>${Array.from(
          { length: rows },
          (_, i) =>
            html`<tr><th scope="row">${i}</th>${known.map(
              ([, vector]) => html`<td>${write(vector, i)}</td>`,
            )}</tr>`,
        )}</tbody>
      </table>`
          : nothing
      }
    </div>`;
  };
  return html`<div class="tables">
    ${table('x', [['x', 'x']])}
    ${table('q, k, v', [
      ['q', 'q'],
      ['k', 'kProjected'],
      ['v', 'vProjected'],
      [t.inCache('k'), 'k'],
      [t.inCache('v'), 'v'],
    ])}
  </div>`;
}
