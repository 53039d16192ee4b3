import { html, nothing, type TemplateResult } from 'lit';
import type { Look } from '../../record/looks';
import type { Lang } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';

/** x, and beside each other what is made of it: q, k and v, and k and v as they lie in the cache. */
export function numberTables(look: Look | null, t: ViewStrings, lang: Lang): TemplateResult {
  const digits = { minimumFractionDigits: 4, maximumFractionDigits: 4 };
  const write = (n: number | undefined) =>
    n === undefined ? '–' : n.toLocaleString(lang, digits).replace('-', '−');
  const table = (name: string, columns: [heading: string, values: number[] | null][]) => {
    const known = columns.filter(([, values]) => values !== null);
    const rows = Math.max(0, ...known.map(([, values]) => values!.length));
    return html`<div class="scroll products" data-numbers=${name} tabindex="0" role="group" aria-label=${name}>
      ${
        look
          ? html`<table>
        <thead><tr><th scope="col">i</th>${known.map(([heading]) => html`<th scope="col">${heading}</th>`)}</tr></thead>
        <tbody>${Array.from(
          { length: rows },
          (_, i) =>
            html`<tr><th scope="row">${i}</th>${known.map(
              ([, values]) => html`<td>${write(values![i])}</td>`,
            )}</tr>`,
        )}</tbody>
      </table>`
          : nothing
      }
    </div>`;
  };
  return html`<div class="tables">
    ${table('x', [['x', look?.x ?? null]])}
    ${table('q, k, v', [
      ...([
        ['q', look?.q],
        ['k', look?.kProjected],
        ['v', look?.vProjected],
      ] as [string, number[] | null][]),
      [t.inCache('k'), look?.k ?? null],
      [t.inCache('v'), look?.v ?? null],
    ])}
  </div>`;
}
