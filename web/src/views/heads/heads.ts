import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { ModelInfo } from '../../api/types';
import type { HeadMap } from '../../record/head-map';
import type { Look } from '../../record/looks';
import type { RunRecord } from '../../record/record';
import type { Lang } from '../../text/format';
import { viewStrings } from '../../text/views/strings';
import { Asking } from '../asking';
import { defineView, formats } from '../base';
import { type Ask, figure, type Sentence, sentence } from '../figure';
import { LONG_TOKEN, longestOf, room } from '../room';
import { textAt } from '../stage/say';
import { viewStyles } from '../styles';
import { barsOf, tokensPerBar } from './bars';
import { drawGrid } from './grid';
import { headsStyles } from './heads.styles';
import { isSame, type Place, placeAfter, placeOf } from './place';

/** Up to so many heads, the map is open on a phone too. */
const FEW_HEADS = 64;
/** Asked once: a window that is made narrower does not take away what is looked at. */
const hasRoom = matchMedia('(min-width: 40rem)').matches;

/** Whether the map is open while the reader has neither opened nor closed it. */
export function opensByItself({ layers, heads }: Pick<ModelInfo, 'layers' | 'heads'>): boolean {
  return hasRoom || layers * heads <= FEW_HEADS;
}

/**
 * Every head of the question beside the others: a cell each, rows from the last layer down as on the
 * stage, columns by the KV head that they share.
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
    this.addController(
      new Asking(
        () => this.renderRoot,
        () => this.lang,
      ),
    );
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
    const { layers, heads } = shape;
    return html`<details ?open=${this.open} @toggle=${this.onToggle}>
      <summary>${t.mapTitle(format.int(layers), format.int(heads))}</summary>
      ${
        this.open
          ? html`${this.grid(shape)}
            <p class="say">${room(this.longestSay(layers), this.say(layers))}</p>
            <p class="muted">${this.legend(shape)}</p>`
          : nothing
      }
    </details>`;
  }

  private get shape(): ModelInfo | null {
    return this.run?.model ?? this.model;
  }

  private get chosen(): Place {
    return { layer: this.layer, head: this.head };
  }

  private grid(model: ModelInfo): TemplateResult {
    const { chosen, at, proposed, t, format } = this;
    const grid = {
      ...{ model, chosen, focused: at ?? chosen, proposed },
      weights: (place: Place) => this.weights(place),
      about: (place: Place) => this.about(place),
    };
    return html`<div class="scroll"
      @click=${this.onClick} @keydown=${this.onKey} @focusin=${this.onFocus}
      @pointerover=${this.onPoint} @pointerleave=${this.onLeave}>${drawGrid(grid, t, format)}</div>`;
  }

  /** From the map, or from what was looked at one by one. */
  private weights({ layer, head }: Place): number[] | null {
    const { map, position } = this;
    const ofMap = map?.position === position ? map.weights[layer]?.[head] : undefined;
    return ofMap ?? this.looks.find((look) => isSame(look, { layer, head }))?.weights ?? null;
  }

  /** What a cell says of itself. */
  private about(place: Place): string {
    const most = this.most(place);
    return most ? this.tell(place, most, this.format.percent(most.weight)) : this.nameOf(place);
  }

  private nameOf({ layer, head }: Place): string {
    return this.t.mapHead(this.format.int(layer), this.format.int(head));
  }

  /** The heaviest token of a head; null while its weights are not known. */
  private most(place: Place): { token: number; weight: number } | null {
    const weights = this.weights(place);
    if (!weights) return null;
    const { heaviest: token } = barsOf(weights, this.run!.model.heads);
    return { token, weight: weights[token]! };
  }

  private tell(place: Place, { token }: { token: number }, share: string): string {
    return this.t.mapCell(this.nameOf(place), textAt(this.run!, token), share);
  }

  private longestSay(layers: number): string {
    const { t, format } = this;
    const cell = t.mapCell(t.mapHead('00', '00'), LONG_TOKEN, format.percent(1));
    return longestOf(t.mapWaits, t.mapReading(format.int(layers), format.int(layers)), cell);
  }

  private say(layers: number): Sentence {
    const { t, format, run, map, position, pointed, unseen } = this;
    if (run && unseen && !pointed) {
      return `${t.mapNotRecorded(textAt(run, position))} ${t.howToSee(run.model.name)}`;
    }
    const place = pointed ?? this.at ?? this.chosen;
    const most = this.most(place);
    if (most) {
      const share = figure(format.percent(most.weight), (from) =>
        from.question.headWeight(run!, { ...place, position }, most),
      );
      return sentence([share], (share) => this.tell(place, most, share!));
    }
    return map && map.position === position
      ? t.mapReading(format.int(map.weights.length), format.int(layers))
      : t.mapWaits;
  }

  private legend(model: ModelInfo): TemplateResult {
    const { t, format, position, proposed } = this;
    const { heads, kvHeads } = model;
    const group = heads / kvHeads;
    const perBar = tokensPerBar(position + 1, heads);
    const number = (n: number, ask: Ask) => figure(format.int(n), ask);
    return html`<span class="marks"
        ><span class="mark chosen">${t.mapChosen}</span>${proposed ? html`<span class="mark proposed">${t.mapProposed}</span>` : nothing}</span
      >
      ${t.mapLegend}
      ${group > 1 ? sentence([number(group, (from) => from.picture.perKvHead(model))], t.mapGroups) : nothing}
      ${perBar > 1 ? sentence([number(perBar, (from) => from.picture.perBar(perBar))], t.mapSummed) : nothing}`;
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
    const to = placeAfter(event, from, this.shape!);
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

defineView('kv-heads', HeadsView);

declare global {
  interface HTMLElementTagNameMap {
    'kv-heads': HeadsView;
  }
}
