import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { ModelInfo } from '../../api/types';
import type { HeadMap } from '../../record/head-map';
import type { Look } from '../../record/looks';
import type { RunRecord } from '../../record/record';
import type { Lang } from '../../text/format';
import { viewStrings } from '../../text/views/strings';
import { defineView, formats } from '../base';
import { LONG_TOKEN, longestOf, room } from '../room';
import { textAt } from '../stage/say';
import { viewStyles } from '../styles';
import { type Bars, barsOf, tokensPerBar } from './bars';
import { headsStyles } from './heads.styles';

interface Place {
  layer: number;
  head: number;
}

/** Up to so many heads, the map is open on a phone too. */
const FEW_HEADS = 64;
/** The rows share this height, in CSS pixels, within what can be read and what is enough. */
const [ROWS_HEIGHT, MIN_ROW, MAX_ROW] = [420, 13, 26];

/** Asked once: a window that is made narrower does not take away what is looked at. */
const hasRoom = matchMedia('(min-width: 40rem)').matches;

/** Whether the map is open while the reader has neither opened nor closed it. */
export function opensByItself({ layers, heads }: Pick<ModelInfo, 'layers' | 'heads'>): boolean {
  return hasRoom || layers * heads <= FEW_HEADS;
}

/**
 * Every head of the question beside the others: a cell each, rows from the last layer down as on the
 * stage, columns by the KV head that they share. A row is made anew only when what it shows is another:
 * while tokens stream there is nothing to show.
 *
 * @fires kv-head - detail: { layer, head }: a head was chosen
 * @fires kv-map - detail: { open }: the reader opened or closed it
 */
export class HeadsView extends LitElement {
  static override styles = [viewStyles, headsStyles];
  static override properties = {
    model: { attribute: false },
    run: { attribute: false },
    position: { type: Number },
    map: { attribute: false },
    layersRead: { type: Number },
    layer: { type: Number },
    head: { type: Number },
    proposed: { attribute: false },
    open: { type: Boolean },
    unseen: { type: Boolean },
    lang: { type: String },
    at: { state: true },
    pointed: { state: true },
  };

  /** Before anything has run, the cells of its heads are there and empty. */
  declare model: ModelInfo | null;
  declare run: RunRecord | null;
  /** Of the token that asks; −1: none does. */
  declare position: number;
  declare map: HeadMap | null;
  /** The map grows in place: how many of its layers there are. */
  declare layersRead: number;
  declare layer: number;
  declare head: number;
  declare proposed: Place | null;
  declare open: boolean;
  /** It is not recorded, and there is no engine to read it. */
  declare unseen: boolean;
  declare lang: Lang;
  /** The cell that Tab leads to. */
  declare at: Place | null;
  declare pointed: Place | null;

  /** Of the pass on show. */
  private looks: Look[] = [];

  constructor() {
    super();
    this.model = null;
    this.run = null;
    this.position = -1;
    this.map = null;
    this.layersRead = 0;
    this.layer = 0;
    this.head = 0;
    this.proposed = null;
    this.open = false;
    this.unseen = false;
    this.lang = 'en';
    this.at = null;
    this.pointed = null;
  }

  private get t() {
    return viewStrings[this.lang];
  }

  private get format() {
    return formats[this.lang];
  }

  /** While tokens stream only the position moves, and there is nothing to show in any cell. */
  protected override shouldUpdate(changed: Map<string, unknown>): boolean {
    const hasMoved = changed.size === 1 && changed.has('position');
    const isEmpty = !this.map && !this.unseen && this.looks.length === 0;
    return !hasMoved || !isEmpty || this.looksAt(this.position).length > 0;
  }

  private looksAt(position: number): Look[] {
    return this.run?.looks.filter((look) => look.position === position) ?? [];
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has('layer') || changed.has('head')) this.at = null;
    this.looks = this.looksAt(this.position);
  }

  protected override render(): TemplateResult | typeof nothing {
    const { shape, t, format } = this;
    if (!shape) return nothing;
    const { layers, heads, kvHeads } = shape;
    return html`<details ?open=${this.open} @toggle=${this.onToggle}>
      <summary>${t.mapTitle(format.int(layers), format.int(heads))}</summary>
      ${
        this.open
          ? html`${this.grid(shape)}
            <p class="say">${room(this.longestSay(layers), this.say(layers))}</p>
            <p class="muted">${this.legend(heads, heads / kvHeads)}</p>`
          : nothing
      }
    </details>`;
  }

  private get shape(): ModelInfo | null {
    return this.run?.model ?? this.model;
  }

  private grid(model: ModelInfo): TemplateResult {
    const { t, format } = this;
    const { layers, heads, kvHeads } = model;
    const group = heads / kvHeads;
    const row = Math.max(MIN_ROW, Math.min(MAX_ROW, Math.floor(ROWS_HEIGHT / layers)));
    /** The first head of a group also spans the gap before it, which is a column of its own. */
    const isFirst = (head: number) => group > 1 && head % group === 0;
    const kvHead = (kv: number) =>
      html`<th class="kv first" scope="colgroup" colspan=${group + 1}><span>${t.kvHead(format.int(kv))}</span></th>`;
    const column = (head: number) =>
      html`<th class=${isFirst(head) ? 'first' : ''} scope="col" colspan=${isFirst(head) ? 2 : 1}>${format.int(head)}</th>`;
    const layerRow = (layer: number) => {
      const marked = [this, this.at, this.proposed].map((at) => at?.layer === layer && at.head);
      const weights = range(heads).map((head) => this.weights({ layer, head }));
      return guard([t, model, ...marked, ...weights], () => makeRow(layer));
    };
    const makeRow = (layer: number) =>
      html`<tr><th scope="row">${format.int(layer)}</th>${range(heads).map((head) => this.cell({ layer, head }, isFirst(head)))}</tr>`;
    return html`<div class="scroll">
      <table role="grid" aria-label=${t.mapLabel} .style=${`--row:${row}px`}
        @click=${this.onClick} @keydown=${this.onKey} @focusin=${this.onFocus}
        @pointerover=${this.onPoint} @pointerleave=${this.onLeave}>
        <colgroup>
          <col class="layers">
          ${range(heads).map((head) => html`${isFirst(head) ? html`<col class="gap">` : nothing}<col>`)}
        </colgroup>
        <thead>
          ${group > 1 ? html`<tr><td></td>${range(kvHeads).map(kvHead)}</tr>` : nothing}
          <tr><th scope="col">${t.layerName}</th>${range(heads).map(column)}</tr>
        </thead>
        <tbody>${range(layers).reverse().map(layerRow)}</tbody>
      </table>
    </div>`;
  }

  private cell(place: Place, isFirst: boolean): TemplateResult {
    const bars = this.bars(place);
    const classes = [isFirst && 'first', isSame(this.proposed, place) && 'proposed'];
    return html`<td role="gridcell" class=${classes.filter(Boolean).join(' ')}
      colspan=${isFirst ? 2 : 1}
      data-layer=${place.layer} data-head=${place.head}
      tabindex=${isSame(this.at ?? this, place) ? 0 : -1}
      aria-selected=${isSame(this, place)}
      aria-label=${this.about(place)}
    ><span class="cell">${
      bars
        ? html`<svg viewBox="0 0 ${bars.bars} 1" preserveAspectRatio="none" aria-hidden="true"><path d=${bars.path}></path></svg>`
        : nothing
    }</span></td>`;
  }

  /** From the map, or from what was looked at one by one. */
  private weights({ layer, head }: Place): number[] | null {
    const { map, position } = this;
    const ofMap = map?.position === position ? map.weights[layer]?.[head] : undefined;
    return ofMap ?? this.looks.find((look) => isSame(look, { layer, head }))?.weights ?? null;
  }

  private bars(place: Place): Bars | null {
    const weights = this.weights(place);
    return weights && barsOf(weights, this.shape!.heads);
  }

  private about(place: Place): string {
    const { t, format, run } = this;
    const weights = this.weights(place);
    const bars = this.bars(place);
    const name = t.mapHead(format.int(place.layer), format.int(place.head));
    if (!weights || !bars) return name;
    const { heaviest } = bars;
    return t.mapCell(name, textAt(run!, heaviest), format.percent(weights[heaviest]!));
  }

  private longestSay(layers: number): string {
    const { t, format } = this;
    const cell = t.mapCell(t.mapHead('00', '00'), LONG_TOKEN, format.percent(1));
    return longestOf(t.mapWaits, t.mapReading(format.int(layers), format.int(layers)), cell);
  }

  private say(layers: number): string {
    const { t, format, run, map, position, pointed, unseen } = this;
    if (run && unseen && !pointed) {
      return `${t.mapNotRecorded(textAt(run, position))} ${t.howToSee(run.model.name)}`;
    }
    const place = pointed ?? this.at ?? this;
    if (this.weights(place)) return this.about(place);
    return map && map.position === position
      ? t.mapReading(format.int(map.weights.length), format.int(layers))
      : t.mapWaits;
  }

  private legend(heads: number, group: number): TemplateResult {
    const { t, format, position, proposed } = this;
    const perBar = tokensPerBar(position + 1, heads);
    return html`<span class="marks"
        ><span class="mark chosen">${t.mapChosen}</span>${proposed ? html`<span class="mark proposed">${t.mapProposed}</span>` : nothing}</span
      >
      ${t.mapLegend} ${group > 1 ? t.mapGroups(format.int(group)) : nothing}
      ${perBar > 1 ? t.mapSummed(format.int(perBar)) : nothing}`;
  }

  private choose(place: Place): void {
    const detail = { layer: place.layer, head: place.head };
    this.dispatchEvent(new CustomEvent('kv-head', { detail, bubbles: true, composed: true }));
  }

  private readonly onClick = (event: Event): void => {
    const place = placeOf(event);
    if (place) this.choose(place);
  };

  private readonly onFocus = (event: Event): void => {
    this.at = placeOf(event);
  };

  private readonly onPoint = (event: Event): void => {
    this.pointed = placeOf(event);
  };

  private readonly onLeave = (): void => {
    this.pointed = null;
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    const from = placeOf(event);
    if (!from || event.altKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') this.choose(from);
    const to = step(event, from, this.shape!);
    if (to) this.cellAt(to)?.focus();
    if (to || event.key === 'Enter' || event.key === ' ') event.preventDefault();
  };

  private cellAt({ layer, head }: Place): HTMLElement | null {
    return this.renderRoot.querySelector(`[data-layer="${layer}"][data-head="${head}"]`);
  }

  private readonly onToggle = (event: Event): void => {
    const { open } = event.target as HTMLDetailsElement;
    if (open === this.open) return;
    const detail = { open };
    this.dispatchEvent(new CustomEvent('kv-map', { detail, bubbles: true, composed: true }));
  };
}

/** Where a key leads; up is towards the last layer, as the rows stand. */
function step(
  { key, ctrlKey }: KeyboardEvent,
  { layer, head }: Place,
  model: ModelInfo,
): Place | null {
  const [top, right] = [model.layers - 1, model.heads - 1];
  const to = {
    ArrowLeft: { layer, head: head - 1 },
    ArrowRight: { layer, head: head + 1 },
    ArrowUp: { layer: layer + 1, head },
    ArrowDown: { layer: layer - 1, head },
    Home: { layer: ctrlKey ? top : layer, head: 0 },
    End: { layer: ctrlKey ? 0 : layer, head: right },
  }[key];
  return (
    (to && {
      layer: Math.max(0, Math.min(top, to.layer)),
      head: Math.max(0, Math.min(right, to.head)),
    }) ??
    null
  );
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

const isSame = (a: Place | null, b: Place) => a?.layer === b.layer && a.head === b.head;

function placeOf({ target }: Event): Place | null {
  const cell = (target as Element).closest<HTMLElement>('[role=gridcell][data-layer]');
  return cell && { layer: Number(cell.dataset.layer), head: Number(cell.dataset.head) };
}

defineView('kv-heads', HeadsView);

declare global {
  interface HTMLElementTagNameMap {
    'kv-heads': HeadsView;
  }
}
