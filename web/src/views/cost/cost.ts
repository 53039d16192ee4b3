import { css, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { type Cost, inputCost, outputCost } from '../../record/figures';
import type { RunRecord } from '../../record/record';
import type * as costSources from '../../sources/cost';
import type { Source } from '../../sources/source';
import { defineView, ViewElement } from '../base';
import { type Ask, figure, type Sentence, sentence } from '../figure';
import { room } from '../room';
import { viewStyles } from '../styles';

type Column = 'input' | 'output';
type Write = (cost: Cost) => string | null;
type AskOf = (from: typeof costSources, run: RunRecord, of: Column) => Source;

/** What input and output cost, apart: prefill does its tokens together, decode one by one. */
export class CostView extends ViewElement {
  static override styles = [
    viewStyles,
    css`
      table {
        width: 100%;
        margin: 0.5rem 0 0.75rem;
        table-layout: fixed;
      }
      th small {
        display: block;
        color: var(--_muted);
        font-weight: 400;
      }
      th[scope='row'] {
        color: var(--_muted);
        white-space: normal;
      }
      th[scope='col'] {
        width: 6.75rem;
      }
      .price {
        margin-top: 0.75rem;
      }
      @media (max-width: 40rem) {
        .price > .muted {
          flex: 1 1 100%;
        }
      }
      .price input {
        width: 6.5rem;
      }
    `,
  ];
  static override properties = {
    ...ViewElement.properties,
    inputPrice: { state: true },
    outputPrice: { state: true },
  };

  /** For a million tokens, in whatever money the reader thinks of; null: not typed in. */
  declare inputPrice: number | null;
  declare outputPrice: number | null;

  constructor() {
    super();
    this.inputPrice = null;
    this.outputPrice = null;
  }

  protected override render(): TemplateResult {
    const { t, format, run } = this;
    const input = run?.prefill ? inputCost(run) : null;
    const output = run && run.steps.length > 0 ? outputCost(run) : null;
    const cell = (of: Column, cost: Cost | null, write: Write, ask: AskOf) => {
      const text = cost && write(cost);
      return text ? figure(text, run && ((from) => ask(from.cost, run, of))) : '–';
    };
    const row = (name: string, key: string, write: Write, ask: AskOf) => html`<tr>
      <th scope="row">${name}</th>
      <td data-figure="input-${key}">${cell('input', input, write, ask)}</td>
      <td data-figure="output-${key}">${cell('output', output, write, ask)}</td>
    </tr>`;
    const ifKnown = (value: number | null, write: (n: number) => string) =>
      value === null ? null : write(value);
    return html`
      <table>
        <thead>
          <tr>
            <td></td>
            <th scope="col">${t.inputCost}<small>${t.prefill}</small></th>
            <th scope="col">${t.outputCost}<small>${t.decode}</small></th>
          </tr>
        </thead>
        <tbody>
          ${row(
            t.computedTokens,
            'tokens',
            (c) => format.int(c.tokens),
            (from, ...of) => from.tokens(...of),
          )}
          ${row(
            t.time,
            'ms',
            (c) => (c.tokens ? format.measuredMs(c.ms) : format.ms(c.ms)),
            (from, ...of) => from.ms(...of),
          )}
          ${row(
            t.timePerToken,
            'ms-per-token',
            (c) => ifKnown(c.msPerToken, (n) => format.ms(n)),
            (from, ...of) => from.msPerToken(...of),
          )}
          ${row(
            t.tokensPerSecond,
            'speed',
            (c) => ifKnown(c.tokensPerSecond, (n) => format.short(n)),
            (from, ...of) => from.tokensPerSecond(...of),
          )}
          ${row(
            t.macs,
            'macs',
            (c) => format.count(c.macs),
            (from, ...of) => from.macs(...of),
          )}
          ${row(
            t.macsPerToken,
            'macs-per-token',
            (c) => ifKnown(c.macsPerToken, (n) => format.count(n)),
            (from, ...of) => from.perToken(...of, 'macs'),
          )}
          ${row(
            t.weightsPerToken,
            'weights-per-token',
            (c) => ifKnown(c.weightBytesPerToken, (n) => format.bytes(n)),
            (from, ...of) => from.perToken(...of, 'weightBytesRead'),
          )}
          ${row(
            t.cachePerToken,
            'cache-per-token',
            (c) => ifKnown(c.kvBytesPerToken, (n) => format.bytes(n)),
            (from, ...of) => from.perToken(...of, 'kvBytesRead'),
          )}
          ${row(
            t.intensity,
            'intensity',
            (c) => ifKnown(c.macsPerByte, (n) => format.short(n)),
            (from, ...of) => from.intensity(...of),
          )}
        </tbody>
      </table>
      <p class="note muted">${room(
        `${t.intensityWhy('000', '0.00')} ${t.firstTokenNote}`,
        html`${this.why(input, output)} ${t.firstTokenNote}`,
      )}</p>
      ${this.price()}
    `;
  }

  private why(input: Cost | null, output: Cost | null): Sentence {
    const { run, t, format } = this;
    const intensity = (of: Column, cost: Cost | null) =>
      run && cost?.macsPerByte
        ? figure(format.short(cost.macsPerByte), (from) => from.cost.intensity(run, of))
        : '–';
    return sentence([intensity('input', input), intensity('output', output)], t.intensityWhy);
  }

  private price(): TemplateResult {
    const { t, run, inputPrice, outputPrice } = this;
    const field = (
      name: 'inputPrice' | 'outputPrice',
      label: string,
    ) => html`<label class="field">${label}
      <input type="number" name=${name} min="0" step="any" inputmode="decimal" .value=${live(this[name] === null ? '' : String(this[name]))}
        @input=${(event: Event) => {
          const { valueAsNumber } = event.target as HTMLInputElement;
          this[name] = valueAsNumber >= 0 ? valueAsNumber : null;
        }} />
    </label>`;
    const tokens = { input: run?.prompt.tokens.length ?? 0, output: run?.steps.length ?? 0 };
    const sum = (tokens.input * (inputPrice ?? 0) + tokens.output * (outputPrice ?? 0)) / 1e6;
    const known = inputPrice !== null || outputPrice !== null;
    const ask: Ask | null =
      run && ((from) => from.cost.price(run, inputPrice ?? 0, outputPrice ?? 0));
    return html`<div class="bar price">
      <span class="muted">${t.pricePerMillion}</span>
      ${field('inputPrice', t.inputCost)} ${field('outputPrice', t.outputCost)}
      <output data-figure="price" data-value=${known ? sum : ''}>${known ? sentence([figure(this.money(sum), ask)], t.priceOfRun) : ''}</output>
    </div>`;
  }

  private money(sum: number): string {
    const digits = { maximumSignificantDigits: 3, maximumFractionDigits: 12 };
    return sum.toLocaleString(this.lang, digits);
  }
}

defineView('kv-cost', CostView);

declare global {
  interface HTMLElementTagNameMap {
    'kv-cost': CostView;
  }
}
