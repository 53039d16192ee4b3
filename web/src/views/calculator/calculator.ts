import { css, html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { fetchKvShape, type KvShape } from '../../shape/gguf-shape';
import {
  bytesPerToken,
  ELEMENT_TYPES,
  type ElementType,
  withoutGrouping,
} from '../../shape/kv-bytes';
import type { How } from '../../text/sources/strings';
import { defineView, ViewElement } from '../base';
import { figure, sentence } from '../figure';
import { viewStyles } from '../styles';
import { PRESETS } from './presets';

const MAX_CONTEXT_BITS = 20;
const MAX_BATCH_BITS = 8;
type Field = 'layers' | 'heads' | 'kvHeads' | 'headDim';

/** What the KV cache of any model takes, also of one that does not fit here. */
export class CalculatorView extends ViewElement {
  static override styles = [
    viewStyles,
    css`
      form,
      .sliders {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 9rem), 1fr));
        align-items: end;
        gap: 0.75rem 1rem;
        margin: 0.75rem 0;
        font-size: var(--_small);
      }
      label select[name='preset'] {
        max-width: 20rem;
      }
      .sliders {
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr));
      }
      label,
      .slider {
        display: grid;
        gap: 0.25rem;
      }
      .slider label {
        display: inline;
      }
      input,
      select {
        width: 100%;
      }
      input[type='range'] {
        accent-color: var(--_ink);
      }
      .wide {
        grid-column: 1 / -1;
      }
      .head-of {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
        align-items: end;
      }
      /* The input is the button: it keeps its keyboard and its focus ring. */
      .file {
        position: relative;
        display: inline-grid;
        min-height: 2.25rem;
        padding: 0 0.75rem;
        border: 1px solid var(--_line);
        border-radius: 0.375rem;
        align-items: center;
      }
      .file input {
        position: absolute;
        inset: 0;
        opacity: 0;
        cursor: pointer;
      }
      .file:focus-within {
        outline: 2px solid var(--_ink);
        outline-offset: 2px;
      }
      .head-of label {
        flex: 1 1 16rem;
      }
      table {
        width: 100%;
        max-width: 40rem;
        margin-bottom: 0.5rem;
      }
    `,
  ];
  static override properties = {
    ...ViewElement.properties,
    shape: { state: true },
    source: { state: true },
    tokens: { state: true },
    batch: { state: true },
    busy: { state: true },
    failure: { state: true },
  };

  declare shape: KvShape;
  /** Where the shape is from; '' when it was typed in. */
  declare source: string;
  declare tokens: number;
  declare batch: number;
  declare busy: boolean;
  declare failure: string;

  constructor() {
    super();
    const first = PRESETS.find(({ shape }) => shape.name === 'Llama 3.1 8B')!;
    this.shape = first.shape;
    this.source = first.source;
    this.tokens = 8192;
    this.batch = 1;
    this.busy = false;
    this.failure = '';
  }

  protected override render(): TemplateResult {
    const { t } = this;
    return html`
      <p class="note muted">${t.calculatorIntro}</p>
      ${this.presets()} ${this.gguf()} ${this.sliders()} ${this.results()}
    `;
  }

  private presets(): TemplateResult {
    const { t, shape, source } = this;
    const onPreset = (event: Event) => {
      const chosen = PRESETS[Number((event.target as HTMLSelectElement).value)];
      if (chosen) Object.assign(this, { ...chosen, failure: '' });
    };
    const index = PRESETS.findIndex((preset) => preset.source === source);
    const isEven = new Set(shape.kvHeads).size === 1 && shape.keyDim === shape.valueDim;
    return html`<form @submit=${(event: Event) => event.preventDefault()}>
      <label class="wide">${t.preset}
        <select name="preset" @change=${onPreset}>
          ${PRESETS.map((preset, n) => html`<option value=${n} .selected=${n === index}>${preset.shape.name}</option>`)}
          <option value="-1" .selected=${index < 0}>${index < 0 ? shape.name : t.ownShape}</option>
        </select>
      </label>
      ${this.number('layers', t.layers, shape.layers)}
      ${this.number('heads', t.qHeads, shape.heads)}
      ${this.number('kvHeads', t.kvHeads, Math.max(...shape.kvHeads))}
      ${this.number('headDim', t.headDim, shape.keyDim)}
      <p class="wide muted" data-source=${source}>
        ${index >= 0 ? t.sourceConfig(source) : source ? t.sourceFile(source) : t.sourceTyped}
        ${isEven ? nothing : t.unevenLayers}
      </p>
    </form>`;
  }

  private number(field: Field, label: string, value: number): TemplateResult {
    const onChange = ({ target }: Event) => {
      const typed = Math.round((target as HTMLInputElement).valueAsNumber);
      if (typed >= 1 && typed <= 100_000) this.setField(field, typed);
      else this.requestUpdate();
    };
    return html`<label>${label}
      <input type="number" name=${field} min="1" max="100000" .value=${live(String(value))} @change=${onChange} />
    </label>`;
  }

  private setField(field: Field, value: number): void {
    const { shape } = this;
    const now = { ...shape, name: '', [field]: value };
    if (field === 'headDim') Object.assign(now, { keyDim: value, valueDim: value });
    const kv = field === 'kvHeads' ? value : Math.max(...shape.kvHeads);
    now.kvHeads = field === 'heads' ? shape.kvHeads : Array<number>(now.layers).fill(kv);
    this.shape = now;
    this.source = '';
  }

  private gguf(): TemplateResult {
    const { t, busy, failure } = this;
    const onUrl = (event: Event) => {
      event.preventDefault();
      const url = new FormData(event.target as HTMLFormElement).get('url');
      if (typeof url === 'string' && url.trim()) void this.read(url.trim(), url.trim());
    };
    const onFile = ({ target }: Event) => {
      const file = (target as HTMLInputElement).files?.[0];
      if (file) void this.read(file, file.name);
    };
    return html`<form class="head-of" @submit=${onUrl}>
        <label>${t.ggufUrl}<input name="url" type="text" inputmode="url" spellcheck="false" placeholder="https://…/model.gguf" /></label>
        <button type="submit" ?disabled=${busy}>${t.readHeader}</button>
        <span class="file"><input name="gguf" type="file" accept=".gguf" aria-label=${t.ggufFile} @change=${onFile} /><span aria-hidden="true">${t.chooseFile}</span></span>
      </form>
      ${failure ? html`<p role="alert">${t.headerFailed(failure)}</p>` : nothing}`;
  }

  private async read(source: Blob | string, name: string): Promise<void> {
    Object.assign(this, { busy: true, failure: '' });
    try {
      this.shape = await fetchKvShape(source);
      this.source = name;
    } catch (error) {
      this.failure = (error as Error).message;
    } finally {
      this.busy = false;
    }
  }

  private sliders(): TemplateResult {
    const { t, format, tokens, batch, shape } = this;
    const slider = (name: 'tokens' | 'batch', label: string, bits: number, now: number) =>
      html`<div class="slider"><span><label for=${name}>${label}</label>: ${figure(format.int(now), (from) => from.picture.chosen(now, name === 'tokens' ? name : ''))}</span>
        <input type="range" id=${name} name=${name} min="0" max=${bits} step=${name === 'tokens' ? 0.25 : 1}
          aria-valuetext=${format.int(now)} .value=${live(String(Math.log2(now)))}
          @input=${(event: Event) => {
            this[name] = Math.round(2 ** (event.target as HTMLInputElement).valueAsNumber);
          }} />
      </div>`;
    const over = shape.contextLength > 0 && tokens > shape.contextLength;
    return html`<div class="sliders">
      ${slider('tokens', t.contextTokens, MAX_CONTEXT_BITS, tokens)}
      ${slider('batch', t.batch, MAX_BATCH_BITS, batch)}
      <p class="wide muted">${over ? t.overContext(format.int(shape.contextLength)) : '\u00a0'}</p>
    </div>`;
  }

  private results(): TemplateResult {
    const { t, format, shape, tokens, batch } = this;
    const ungrouped = withoutGrouping(shape);
    const how: How = this.source ? 'shape' : 'typed';
    const ratio = figure(format.short(ungrouped), (from) => from.calculator.ungrouped(shape, how));
    const row = (type: ElementType) => {
      const perToken = bytesPerToken(shape, type);
      const bytes = perToken * tokens * batch;
      const ofToken = figure(format.bytes(perToken), (from) =>
        from.calculator.perToken(shape, type, how),
      );
      const ofAll = figure(format.bytes(bytes), (from) =>
        from.calculator.inAll(shape, type, tokens, batch, how),
      );
      return html`<tr data-type=${type} data-bytes=${bytes}>
        <th scope="row">${type}</th><td>${ofToken}</td><td>${ofAll}</td>
      </tr>`;
    };
    return html`<table>
        <thead><tr><th scope="col">${t.elementType}</th><th scope="col">${t.bytesPerToken}</th><th scope="col">${t.bytesInAll}</th></tr></thead>
        <tbody>${ELEMENT_TYPES.map(row)}</tbody>
      </table>
      <p class="note muted">
        2 × ${format.int(shape.layers)} × ${format.int(Math.max(...shape.kvHeads))} × ${format.int(shape.keyDim)} × ${t.bytesWord} × ${format.int(tokens)} × ${format.int(batch)}.
        ${ungrouped > 1 ? sentence([ratio], t.withoutGrouping) : t.noGrouping}
      </p>`;
  }
}

defineView('kv-calculator', CalculatorView);

declare global {
  interface HTMLElementTagNameMap {
    'kv-calculator': CalculatorView;
  }
}
