import { html, type TemplateResult } from 'lit';
import type { Moment } from '../../record/moment';
import type { RunRecord } from '../../record/record';
import type { Format } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';
import { figure, sentence } from '../figure';
import { costBars } from './costs';
import { textAt } from './say';

/** The stage in words and numbers: a row for each of its columns. */
export function twinTable(
  run: RunRecord,
  moment: Moment,
  t: ViewStrings,
  format: Format,
): TemplateResult {
  const { model, prompt, steps } = run;
  const prefillTokens = prompt.tokens.length;
  const pairs = model.layers * model.kvHeads;
  const shown = moment.frame - 1;
  const costs = new Map<number, { macs: number; ms: number }>();
  const ms = costBars(run, 'ms', shown);
  costBars(run, 'macs', shown).forEach(({ from, cost }, i) => {
    costs.set(from, { macs: cost, ms: ms[i]!.cost });
  });
  const { frame } = moment;
  const row = (position: number) => {
    const cached = position < moment.cached;
    const cost = costs.get(position);
    const step = position < prefillTokens ? null : position - prefillTokens + 1;
    const token = prompt.tokens[position] ?? steps[position - prefillTokens]!;
    return html`<tr>
      <th scope="row">${format.int(position)}</th>
      <td>${textAt(run, position)}</td>
      <td>${figure(String(token.id), (from) => from.question.token(run, position).at(-1)!)}</td>
      <td>${position < prefillTokens ? t.prefill : t.decode}</td>
      <td data-pairs=${cached ? pairs : 0}>${cached ? sentence([figure(format.int(pairs), (from) => from.cache.pairs(run))], t.pairs) : t.noPairs}</td>
      <td>${cached && moment.kv ? figure(format.exactBytes((position + 1) * moment.kv.bytesPerToken), (from) => from.cache.ofTokens(run, frame, position + 1)) : '–'}</td>
      <td>${
        cost
          ? html`${figure(`${format.int(cost.macs)} MAC`, (from) => from.cost.pass(run, step, 'macs'))} ·
            ${figure(format.measuredMs(cost.ms), (from) => from.cost.pass(run, step, 'ms'))}`
          : '–'
      }</td>
    </tr>`;
  };
  return html`<div class="twin scroll" tabindex="0" role="group" aria-label=${t.asTable}>
    <table>
      <thead>
        <tr>
          <th scope="col">${t.position}</th><th scope="col">${t.token}</th><th scope="col">id</th>
          <th scope="col">${t.phaseName}</th><th scope="col">${t.rowCache}</th>
          <th scope="col">${t.rowBytes}</th><th scope="col">${t.passCost}</th>
        </tr>
      </thead>
      <tbody>${Array.from({ length: moment.tokens }, (_, position) => row(position))}</tbody>
    </table>
  </div>`;
}
