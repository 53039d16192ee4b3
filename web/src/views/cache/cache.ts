import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { KvType, ModelInfo } from '../../api/types';
import { momentAt } from '../../record/moment';
import type { RunRecord } from '../../record/record';
import { kvBytesPerToken, rowBytes } from '../../shape/kv-bytes';
import { defineView, ViewElement } from '../base';
import { type Ask, figure } from '../figure';
import { keyStyles } from '../key-styles';
import { HEADROOM, plotStyles } from '../line-plot';
import { room } from '../room';
import { viewStyles } from '../styles';
import { BytesPlot, MIN_TOKENS } from './bytes-plot';
import { kvOverTokens } from './kv-series';

const TYPES: KvType[] = ['f32', 'f16', 'q8_0'];

/** The KV cache in numbers: now, how they come about, what one token takes, and what would be. */
export class CacheView extends ViewElement {
  static override styles = [
    viewStyles,
    plotStyles,
    keyStyles,
    css`
      .big output {
        display: block;
        font-size: 2rem;
        line-height: 1.3;
        letter-spacing: -0.01em;
      }
      .formula {
        display: flex;
        flex-direction: column;
        font-size: var(--_small);
      }
      dl {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr));
        gap: 0 1.5rem;
        margin: 0.75rem 0;
        font-size: var(--_small);
      }
      dl div {
        display: flex;
        align-items: baseline;
        justify-content: space-between;
        gap: 0.75rem;
        padding: 0.25rem 0;
      }
      dt {
        color: var(--_muted);
      }
      dd {
        flex: 1;
        text-align: end;
        white-space: nowrap;
      }
      dd small {
        display: block;
      }
      .plot {
        height: 10rem;
      }
      figcaption {
        color: var(--_muted);
        font-size: var(--_small);
      }
      table {
        width: 100%;
        margin-top: 0.75rem;
        table-layout: fixed;
      }
      thead th {
        white-space: normal;
      }
      tr.now th {
        font-weight: 600;
      }
      .key {
        margin-inline-end: 0.75rem;
      }
    `,
  ];
  static override properties = {
    ...ViewElement.properties,
    model: { attribute: false },
    kvType: { type: String },
    kvCache: { type: Boolean },
  };

  /** Known before anything has run: then the figures of one token are shown. */
  declare model: ModelInfo | null;
  declare kvType: KvType;
  declare kvCache: boolean;

  private plot: BytesPlot | undefined;

  constructor() {
    super();
    this.model = null;
    this.kvType = 'f16';
    this.kvCache = true;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.plot?.destroy();
    this.plot = undefined;
  }

  protected override render(): TemplateResult {
    const { t, format, run, model, kvType, frame } = this;
    const moment = run && momentAt(run, frame);
    const kv = moment?.kv ?? null;
    const bytes = kv?.bytes ?? 0;
    /** Before the prefill there is nothing to ask about. */
    const of = (ask: (run: RunRecord) => Ask) => (run && kv ? ask(run) : null);
    const perToken = kv?.bytesPerToken ?? (model ? kvBytesPerToken(model, kvType) : null);
    return html`
      <p class="big">
        <span class="muted">${t.cacheNow}</span>
        <output data-figure="kv-bytes" data-bytes=${bytes}>${figure(
          format.exactBytes(bytes),
          of((run) => (from) => from.cache.bytes(run, frame)),
        )}</output>
      </p>
      ${model ? this.formula(model, kv?.tokens ?? 0) : nothing}
      <dl>
        ${entry(
          t.tokensInCache,
          format.int(kv?.tokens ?? 0),
          of((run) => (from) => from.cache.tokens(run, frame)),
        )}
        ${entry(
          t.perToken,
          perToken === null ? '–' : format.exactBytes(perToken),
          model && ((from) => from.cache.perToken(model, kvType, run, frame)),
        )}
        ${entry(
          t.perLayer,
          format.exactBytes(bytes / (model?.layers ?? 1)),
          of((run) => (from) => from.cache.perLayer(run, frame)),
        )}
        ${entry(
          t.perKvHead,
          format.exactBytes(bytes / (model ? model.layers * model.kvHeads : 1)),
          of((run) => (from) => from.cache.perKvHead(run, frame)),
        )}
        ${entry(
          t.reserved,
          kv ? format.bytes(kv.reservedBytes) : '–',
          of((run) => (from) => from.cache.reserved(run, frame)),
          kv ? t.reservedNote(format.int(kv.reservedBytes / kv.bytesPerToken)) : '\u00a0',
        )}
        ${entry(
          t.qDropped,
          format.bytes(moment?.qBytesSum ?? 0),
          of((run) => (from) => from.cache.qBytesSum(run, frame)),
        )}
      </dl>
      <figure>
        <div class="plot" role="img" aria-label=${t.bytesPlot} .ask=${of(
          (run) => (from) =>
            from.picture.bytesPlot(run, frame, { headroom: HEADROOM, minTokens: MIN_TOKENS }),
        )}></div>
        <figcaption><span class="key">K</span><span class="key v">V</span>${t.bytesPlot}</figcaption>
      </figure>
      ${model ? this.otherTypes(model, kv?.tokens ?? 0) : nothing}
    `;
  }

  protected override updated(changed: PropertyValues): void {
    this.plot ??= new BytesPlot(
      this.renderRoot.querySelector<HTMLElement>('.plot')!,
      (bytes) => this.format.bytes(bytes),
      () => this.run?.prefill?.tokens ?? 0,
      () => (this.model ? kvBytesPerToken(this.model, this.kvType) : 1),
    );
    if (changed.has('lang')) this.plot.rebuild();
    this.plot.set(kvOverTokens(this.frame > 0 ? this.run : null, this.frame - 1));
  }

  private formula(model: ModelInfo, tokens: number): TemplateResult {
    const { t, format, kvType } = this;
    if (!this.kvCache) return html`<p class="formula note">${t.cacheOff}</p>`;
    const { layers, kvHeads, headDim } = model;
    const isQuantized = kvType === 'q8_0';
    const row = isQuantized
      ? [`(${format.int(headDim)} + ${format.int(rowBytes(kvType, headDim) - headDim)})`]
      : [headDim, rowBytes(kvType, headDim) / headDim].map((n) => format.int(n));
    const factors = [...[2, layers, kvHeads].map((n) => format.int(n)), ...row];
    return html`<p class="formula">
      ${room([...factors, '0,000'].join(' × '), [...factors, format.int(tokens)].join(' × '))}
      <small class="muted">${isQuantized ? t.cacheFormulaQ8 : t.cacheFormula}</small>
    </p>`;
  }

  /** The same tokens at other element types, and with a K and a V for every head. */
  private otherTypes(model: ModelInfo, tokens: number): TemplateResult {
    const { t, format, kvType } = this;
    const cell = (type: KvType, kvHeads: number) =>
      figure(format.bytes(tokens * kvBytesPerToken({ ...model, kvHeads }, type)), (from) =>
        from.cache.wouldBe(model, type, tokens, kvHeads),
      );
    return html`<table>
      <thead><tr><th scope="col">${t.elementType}</th><th scope="col">${t.asItIs}</th><th scope="col">${t.everyHead(format.int(model.heads))}</th></tr></thead>
      <tbody>
        ${TYPES.map(
          (type) => html`<tr class=${type === kvType ? 'now' : ''} data-type=${type}>
            <th scope="row">${type}</th>
            <td>${cell(type, model.kvHeads)}</td>
            <td>${cell(type, model.heads)}</td>
          </tr>`,
        )}
      </tbody>
    </table>`;
  }
}

function entry(name: string, value: string, ask: Ask | null, note = ''): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>${figure(value, ask)}${note ? html` <small class="muted" .textContent=${note}></small>` : nothing}</dd>
  </div>`;
}

defineView('kv-cache', CacheView);

declare global {
  interface HTMLElementTagNameMap {
    'kv-cache': CacheView;
  }
}
