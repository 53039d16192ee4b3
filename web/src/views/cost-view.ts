import { html, type TemplateResult } from 'lit';
import { type Cost, inputCost, outputCost } from '../record/figures';
import type { RunRecord } from '../record/record';
import type { ViewContext } from './view';

/** What input and output cost, apart: prefill does its tokens together, decode one by one. */
export function costView(run: RunRecord | null, { t, format }: ViewContext): TemplateResult {
  const input = run?.prefill ? inputCost(run) : null;
  const output = run && run.steps.length > 0 ? outputCost(run) : null;
  const row = (name: string, key: string, write: (cost: Cost) => string) => html`<tr>
    <th scope="row">${name}</th>
    <td class="num" data-figure="input-${key}">${input ? write(input) : '–'}</td>
    <td class="num" data-figure="output-${key}">${output ? write(output) : '–'}</td>
  </tr>`;
  const orDash = (value: number | null, write: (n: number) => string) =>
    value === null ? '–' : write(value);
  return html`
    <table class="cost">
      <thead>
        <tr>
          <td></td>
          <th scope="col">${t.inputCost}<small>${t.prefill}</small></th>
          <th scope="col">${t.outputCost}<small>${t.decode}</small></th>
        </tr>
      </thead>
      <tbody>
        ${row(t.computedTokens, 'tokens', (c) => format.int(c.tokens))}
        ${row(t.time, 'ms', (c) => format.ms(c.ms))}
        ${row(t.timePerToken, 'ms-per-token', (c) => orDash(c.msPerToken, (n) => format.ms(n)))}
        ${row(t.speed, 'speed', (c) => orDash(c.tokensPerSecond, (n) => format.short(n)))}
        ${row(t.macs, 'macs', (c) => format.count(c.macs))}
        ${row(t.macsPerToken, 'macs-per-token', (c) => orDash(c.macsPerToken, (n) => format.count(n)))}
      </tbody>
    </table>
  `;
}
