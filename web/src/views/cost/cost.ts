import { css, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { type Cost, inputCost, outputCost } from '../../record/figures';
import { defineView, ViewElement } from '../base';
import { room } from '../room';
import { viewStyles } from '../styles';

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
    const row = (name: string, key: string, write: (cost: Cost) => string) => html`<tr>
      <th scope="row">${name}</th>
      <td data-figure="input-${key}" .textContent=${input ? write(input) : '–'}></td>
      <td data-figure="output-${key}" .textContent=${output ? write(output) : '–'}></td>
    </tr>`;
    const orDash = (value: number | null, write: (n: number) => string) =>
      value === null ? '–' : write(value);
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
          ${row(t.computedTokens, 'tokens', (c) => format.int(c.tokens))}
          ${row(t.time, 'ms', (c) => (c.tokens ? format.measuredMs(c.ms) : format.ms(c.ms)))}
          ${row(t.timePerToken, 'ms-per-token', (c) => orDash(c.msPerToken, (n) => format.ms(n)))}
          ${row(t.tokensPerSecond, 'speed', (c) => orDash(c.tokensPerSecond, (n) => format.short(n)))}
          ${row(t.macs, 'macs', (c) => format.count(c.macs))}
          ${row(t.macsPerToken, 'macs-per-token', (c) => orDash(c.macsPerToken, (n) => format.count(n)))}
          ${row(t.weightsPerToken, 'weights-per-token', (c) => orDash(c.weightBytesPerToken, (n) => format.bytes(n)))}
          ${row(t.cachePerToken, 'cache-per-token', (c) => orDash(c.kvBytesPerToken, (n) => format.bytes(n)))}
          ${row(t.intensity, 'intensity', (c) => orDash(c.macsPerByte, (n) => format.short(n)))}
        </tbody>
      </table>
      <p class="note muted">${room(
        `${t.intensityWhy('000', '0.00')} ${t.firstTokenNote}`,
        `${this.why(input, output)} ${t.firstTokenNote}`,
      )}</p>
      ${this.price()}
    `;
  }

  private why(input: Cost | null, output: Cost | null): string {
    const write = (cost: Cost | null) =>
      cost?.macsPerByte ? this.format.short(cost.macsPerByte) : '–';
    return this.t.intensityWhy(write(input), write(output));
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
    return html`<div class="bar price">
      <span class="muted">${t.pricePerMillion}</span>
      ${field('inputPrice', t.inputCost)} ${field('outputPrice', t.outputCost)}
      <output data-figure="price" data-value=${known ? sum : ''}>${known ? t.priceOfRun(sum.toLocaleString(this.lang, { maximumSignificantDigits: 3, maximumFractionDigits: 12 })) : ''}</output>
    </div>`;
  }
}

defineView('kv-cost', CostView);

declare global {
  interface HTMLElementTagNameMap {
    'kv-cost': CostView;
  }
}
