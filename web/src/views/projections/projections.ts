import { html, noChange, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { ModelInfo } from '../../api/types';
import type { HeadMatrices, Look, MatrixRows } from '../../record/looks';
import { momentAt } from '../../record/moment';
import { defineView, ViewElement } from '../base';
import { type Ask, figure, type Sentence, sentence } from '../figure';
import { notRecorded } from '../not-recorded';
import { textAt } from '../stage/say';
import '../stripe';
import type { Hue } from '../stripe';
import { viewStyles } from '../styles';
import { numberTables } from './numbers';
import { projectionStyles } from './projections.styles';
import { unfold } from './unfold';

export type Projection = 'q' | 'k' | 'v';

interface Part {
  name: Projection;
  hue: Hue;
  matrix: MatrixRows | undefined;
  result: number[] | null;
  /** What of it lies in the cache; q is not kept. */
  cached: number[] | null;
}

/**
 * Where q, k and v come from: three matrices, one vector, three results; and the arithmetic of any one
 * number of them.
 *
 * @fires kv-spot - detail: { position, layer, head }: another place was chosen
 */
export class ProjectionsView extends ViewElement {
  static override styles = [viewStyles, projectionStyles];
  static override properties = {
    ...ViewElement.properties,
    position: { type: Number },
    model: { attribute: false },
    layer: { type: Number },
    head: { type: Number },
    look: { attribute: false },
    matrices: { attribute: false },
    which: { state: true },
    row: { state: true },
    unseen: { type: Boolean },
    numbersOpen: { state: true },
  };

  declare position: number;
  /** Before anything has run. */
  declare model: ModelInfo | null;
  declare layer: number;
  declare head: number;
  declare look: Look | null;
  declare matrices: HeadMatrices | null;
  declare which: Projection;
  declare row: number;
  /** The record holds nothing of this place, and there is no engine to make its pass again. */
  declare unseen: boolean;
  declare numbersOpen: boolean;

  constructor() {
    super();
    this.position = 0;
    this.model = null;
    this.layer = 0;
    this.head = 0;
    this.look = null;
    this.matrices = null;
    this.which = 'q';
    this.row = 0;
    this.unseen = false;
    this.numbersOpen = false;
  }

  /** Asks for another head of the same token. */
  choose({ layer, head }: { layer: number; head: number }): void {
    this.emit('kv-spot', { position: this.position, layer, head });
  }

  protected override render(): TemplateResult {
    const { run, t, look, shape } = this;
    const parts = this.parts;
    const rows = shape?.headDim ?? 1;
    const row = Math.min(this.row, rows - 1);
    return html`
      <p class="note muted">${t.projectionsIntro} ${t.heatLegend}</p>
      ${this.choice(rows, row)}
      <div class="x">
        <p>${sentence([this.ofModel('dim', look?.x?.length)], t.xIs)}</p>
        <kv-stripe .values=${look?.x ?? null} hue="ink" label="x" .lang=${this.lang}></kv-stripe>
      </div>
      <div class="parts">${parts.map((part) => this.panel(part, row))}</div>
      ${
        this.unseen && run
          ? notRecorded(this, run, this.position)
          : html`${this.arithmetic(parts.find(({ name }) => name === this.which)!, row)} ${this.numbers()}`
      }
    `;
  }

  private get shape() {
    return this.run?.model ?? this.model;
  }

  /** How many numbers a vector has. */
  private ofModel(name: 'dim' | 'headDim', length?: number) {
    const { run, shape, format } = this;
    const ask: Ask | null = run && ((from) => from.model.number(run.model, name));
    return figure(format.int(length ?? shape?.[name] ?? 0), ask);
  }

  /** The vectors as they are, number by number; made only when they are asked for. */
  private numbers(): TemplateResult {
    const { run, look, t, lang } = this;
    const onToggle = ({ target }: Event) => {
      this.numbersOpen = (target as HTMLDetailsElement).open;
    };
    return html`<details class="numbers" ?open=${this.numbersOpen} @toggle=${onToggle}>
      <summary>${t.asNumbers}</summary>
      ${this.numbersOpen ? numberTables(run, look, t, lang) : nothing}
    </details>`;
  }

  private get parts(): Part[] {
    const { look, matrices } = this;
    return [
      { name: 'q', hue: 'q', matrix: matrices?.wq, result: look?.q ?? null, cached: null },
      {
        name: 'k',
        hue: 'k',
        matrix: matrices?.wk,
        result: look?.kProjected ?? null,
        cached: look?.k ?? null,
      },
      {
        name: 'v',
        hue: 'v',
        matrix: matrices?.wv,
        result: look?.vProjected ?? null,
        cached: look?.v ?? null,
      },
    ];
  }

  private choice(rows: number, row: number): TemplateResult {
    const { t, run, format, frame } = this;
    const cached = run ? Math.max(momentAt(run, frame).cached, 0) : 0;
    const { layers = 1, heads = 1 } = this.shape ?? {};
    const { position, layer, head } = this;
    const spot = (change: object) => this.emit('kv-spot', { position, layer, head, ...change });
    const select = (
      name: string,
      label: string,
      options: string[],
      now: number,
      change: (n: number) => void,
    ) =>
      html`<label class="field">${label}
        <select name=${name} ?disabled=${!run} @change=${(event: Event) => change(Number((event.target as HTMLSelectElement).value))}>
          ${options.map((text, n) => html`<option value=${n} .selected=${n === now}>${text}</option>`)}
        </select>
      </label>`;
    const numbers = (n: number) => Array.from({ length: n }, (_, i) => format.int(i));
    // Not a list to choose from: a thousand options cost more to lay out than all the rest.
    const onPosition = ({ target }: Event) => {
      const input = target as HTMLInputElement;
      const n = Math.round(input.valueAsNumber);
      if (n >= 0 && n < cached) spot({ position: n });
      else input.value = String(position);
    };
    // What is being typed is not written over by a step that comes in.
    const isTyped = this.shadowRoot?.activeElement?.getAttribute('name') === 'position';
    return html`<div class="bar">
      <label class="field">${t.token}
        <input type="number" name="position" min="0" max=${Math.max(0, cached - 1)} ?disabled=${!run}
          .value=${isTyped ? noChange : live(String(position))} @change=${onPosition} />
        <strong class="name">${run && cached > 0 ? textAt(run, position) : ''}</strong>
      </label>
      ${select('layer', t.layerName, numbers(layers), layer, (n) => spot({ layer: n }))}
      ${select('head', t.headName, numbers(heads), head, (n) => spot({ head: n }))}
      ${(['q', 'k', 'v'] as const).map(
        (name) =>
          html`<button type="button" aria-pressed=${this.which === name} @click=${() => {
            this.which = name;
          }}>${name}</button>`,
      )}
      ${select('row', t.element, numbers(rows), row, (n) => {
        this.row = n;
      })}
    </div>`;
  }

  private panel({ name, hue, matrix, result, cached }: Part, row: number): TemplateResult {
    const { t, lang } = this;
    const open = name === this.which ? row : -1;
    const onCell = ({ detail }: CustomEvent<{ index: number; row: number }>, inMatrix: boolean) => {
      this.which = name;
      this.row = inMatrix ? detail.row : detail.index;
    };
    return html`<div class="part ${name}" data-projection=${name}>
      <h3>W<sub>${name.toUpperCase()}</sub> · x = ${name}</h3>
      <p class="shape">${this.matrixShape(name)}</p>
      <kv-stripe class="matrix" .values=${matrix?.values ?? null} .cols=${matrix?.cols ?? 0} .hue=${hue}
        label=${`W_${name.toUpperCase()}`} .lang=${lang} .markRow=${open}
        @kv-cell=${(event: CustomEvent) => onCell(event, true)}></kv-stripe>
      <p class="shape">${sentence([this.ofModel('headDim')], (n) => t.resultIs(name, n!))}</p>
      <kv-stripe .values=${result} .hue=${hue} label=${name} .lang=${lang} .mark=${open}
        @kv-cell=${(event: CustomEvent) => onCell(event, false)}></kv-stripe>
      <p class="shape">${{ q: t.qNotKept, k: t.kAsCached, v: t.vAsCached }[name]}</p>
      ${
        name === 'q'
          ? html`<div class="empty"></div>`
          : html`<kv-stripe .values=${cached} .hue=${hue} label=${t.inCache(name)} .lang=${lang}></kv-stripe>`
      }
    </div>`;
  }

  /** Of the whole matrix, and which of its rows are this head's. */
  private matrixShape(projection: Projection): Sentence {
    const { t, format, shape, head, run, matrices } = this;
    if (!shape) return '';
    const { heads, kvHeads, headDim, dim } = shape;
    const [rows, first] =
      projection === 'q' ? [heads, head] : [kvHeads, Math.floor((head * kvHeads) / heads)];
    const name = `w${projection}` as const;
    const number = (n: number, of: 'rows' | 'cols' | 'firstRow' | 'lastRow') =>
      figure(
        format.int(n),
        run && matrices && ((from) => from.projections[of](run, matrices, name)),
      );
    return sentence(
      [
        number(rows * headDim, 'rows'),
        number(dim, 'cols'),
        number(first * headDim, 'firstRow'),
        number((first + 1) * headDim - 1, 'lastRow'),
      ],
      t.matrixShape,
    );
  }

  private arithmetic({ name, matrix, result }: Part, row: number): TemplateResult {
    const { look, t, lang, shape, run, matrices } = this;
    const sum =
      run && matrices && matrix && result && look?.x
        ? { name, matrix, result, x: look.x, row, run, look, matrices }
        : null;
    // Runs recorded before it was said were all made fast.
    const precision = shape?.precision ?? 'fast';
    return unfold({ name, sum, terms: shape?.dim ?? 0, precision }, t, lang);
  }
}

defineView('kv-projections', ProjectionsView);

declare global {
  interface HTMLElementTagNameMap {
    'kv-projections': ProjectionsView;
  }
}
