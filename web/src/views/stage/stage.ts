import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ModelInfo } from '../../api/types';
import type { Look } from '../../record/looks';
import { type Moment, momentAt } from '../../record/moment';
import { defineView, ViewElement } from '../base';
import { keyStyles } from '../key-styles';
import { onSchemeChange, type Palette, readPalette } from '../palette';
import { room } from '../room';
import { viewStyles } from '../styles';
import { Axis } from './axis';
import { bundleRow, bundlesOf, MIN_BUNDLED_TOKENS } from './bundles';
import { costScale, drawBytes, drawCosts } from './draw-costs';
import { drawGrid } from './draw-grid';
import { drawLinks } from './draw-links';
import { type Geometry, geometryOf } from './geometry';
import { longestSay, sayMoment } from './say';
import type { Metric, Scene } from './scene';
import { chips, type GutterFacts, gutter, legend, phases } from './stage.parts';
import { stageStyles } from './stage.styles';
import { twinTable } from './table';
import { tileKey } from './tile-key';
import { Tiles } from './tiles';

/** Without a model: as many rows as the built-in one has, so that nothing moves when it comes. */
const LAYERS_BEFORE_MODEL = 5;

/**
 * One column a token, and everything that belongs to the token under it: question, text, K and V
 * of each layer, bytes, cost.
 *
 * @fires kv-select - detail: { position }: a column was chosen
 */
export class StageView extends ViewElement {
  static override styles = [viewStyles, keyStyles, stageStyles];
  static override properties = {
    ...ViewElement.properties,
    model: { attribute: false },
    layersShown: { type: Number },
    layer: { type: Number },
    head: { type: Number },
    look: { attribute: false },
    selected: { type: Number },
    point: { type: String },
    byHead: { state: true },
    metric: { state: true },
    tableOpen: { state: true },
    span: { state: true },
  };

  /** Before anything has run. */
  declare model: ModelInfo | null;
  /** Layers of the newest pass to show done; Infinity: all. */
  declare layersShown: number;
  declare layer: number;
  declare head: number;
  declare look: Look | null;
  declare selected: number | null;
  /** A row that words elsewhere are about: framed. */
  declare point: 'links' | 'chips' | 'grid' | 'bytes' | 'cached' | 'uncached' | null;
  declare byHead: boolean;
  declare metric: Metric;
  declare tableOpen: boolean;
  /** What is seen of the axis, in CSS pixels. */
  declare span: [from: number, to: number];

  private axis: Axis | undefined;
  private palette: Palette | undefined;
  private tiles: Tiles | undefined;
  private drawnWidth = 0;
  private stopListening: (() => void) | undefined;
  /** Told after layout, so that following the newest column asks for none of its own. */
  private readonly sizes = new ResizeObserver(() => {
    this.followNewest();
    this.scrolled();
  });

  constructor() {
    super();
    this.model = null;
    this.layersShown = Infinity;
    this.layer = 0;
    this.head = 0;
    this.look = null;
    this.selected = null;
    this.point = null;
    this.byHead = false;
    this.metric = 'macs';
    this.tableOpen = false;
    this.span = [0, 2000];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.stopListening = onSchemeChange(() => {
      this.palette = undefined;
      this.requestUpdate();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stopListening?.();
    this.sizes.disconnect();
  }

  protected override firstUpdated(): void {
    this.tiles = new Tiles(this.renderRoot.querySelector('.canvas')!);
    this.sizes.observe(this.scroller);
    this.sizes.observe(this.renderRoot.querySelector('.content')!);
  }

  protected override willUpdate(): void {
    this.axis ??= new Axis(getComputedStyle(this).fontFamily);
    this.axis.update(this.run);
  }

  protected override render(): TemplateResult {
    const { run, t } = this;
    const moment = run && momentAt(run, this.frame);
    const geometry = this.geometry;
    const width = moment ? this.widthAt(moment) : 0;
    return html`
      <p class="say">${room(
        longestSay(this.shape, run?.session, t, this.format),
        run && moment ? sayMoment(run, moment, t, this.format) : t.stageEmpty,
      )}</p>
      <div class="stage">
        ${this.pointer(geometry)}
        <div class="gutter" .style=${`height:${geometry.height}px`}>
          ${gutter(geometry, this.gutterFacts(moment), t, this.format)}
        </div>
        <div class="axis" tabindex="0" role="group" aria-label=${t.axisLabel}
          @scroll=${this.scrolled} @keydown=${this.onKey}>
          <div class="content" .style=${`height:${geometry.height}px;width:${width}px`} @click=${this.onClick}>
            ${moment ? phases(this.axis!, geometry, moment, t) : nothing}
            <div class="canvas" aria-hidden="true"></div>
            ${moment ? chips(this.axis!, geometry, { run: run!, moment, span: this.span, selected: this.selected }, t) : nothing}
          </div>
        </div>
        ${this.bundles(moment)}
      </div>
      ${legend(this, t)}
      <details class="twin-box" @toggle=${this.onTable}>
        <summary>${t.asTable}</summary>
        ${this.tableOpen && run && moment ? twinTable(run, moment, t, this.format) : nothing}
      </details>
    `;
  }

  protected override updated(_changed: PropertyValues): void {
    this.draw();
  }

  private pointer(geometry: Geometry): TemplateResult | typeof nothing {
    if (!this.point) return nothing;
    const { y, height } = geometry[this.point];
    return html`<div class="pointer" .style=${`top:${y - 4}px;height:${height + 8}px`}></div>`;
  }

  /** There is room for them from the start of a run that may become so long. */
  private bundles(moment: Moment | null): TemplateResult | typeof nothing {
    const { run, axis, span } = this;
    if (!run || !moment || !axis) return nothing;
    const atMost = Math.max(moment.tokens, run.prompt.tokens.length + run.settings.maxTokens);
    if (atMost < MIN_BUNDLED_TOKENS) return nothing;
    if (moment.tokens < MIN_BUNDLED_TOKENS) return html`<div class="bundles"></div>`;
    const middle = axis.within((span[0] + span[1]) / 2, Infinity)[0];
    const open = (from: number) => {
      this.scroller.scrollLeft = axis.columns[from]!.x - 8;
    };
    return html`<p class="bundles-name muted">${this.t.bundles}</p>
      ${bundleRow(bundlesOf(run, moment, this.look), middle, open, this.t, this.format)}`;
  }

  get shape() {
    return this.run?.model ?? this.model;
  }

  private get geometry(): Geometry {
    const model = this.shape;
    const layers = model?.layers ?? LAYERS_BEFORE_MODEL;
    return geometryOf(layers * (this.byHead ? (model?.kvHeads ?? 1) : 1));
  }

  private get scroller(): HTMLElement {
    return this.renderRoot.querySelector('.axis')!;
  }

  private widthAt({ tokens }: Moment): number {
    const last = this.axis?.columns[tokens - 1];
    return last ? last.x + last.width + 24 : 0;
  }

  private gutterFacts(moment: Moment | null): GutterFacts {
    const { run, metric, frame } = this;
    return {
      askBytes: run && moment?.kv ? (from) => from.cache.bytes(run, frame) : null,
      bytes: moment?.kv?.bytes ?? 0,
      layers: this.shape?.layers ?? LAYERS_BEFORE_MODEL,
      metric,
      scale: run?.prefill ? costScale({ run, metric }) : null,
      hasUncached: Boolean(run?.uncached),
    };
  }

  private draw(): void {
    const { run, axis, tiles } = this;
    if (!axis || !tiles) return;
    const box = this.renderRoot.querySelector<HTMLElement>('.canvas')!;
    this.palette ??= readPalette(box);
    const [from, to] = this.span;
    const { height } = this.geometry;
    if (!run) {
      tiles.draw({ from, to, width: 0, height, keyOf: () => '', draw: () => {} });
      return;
    }
    const moment = momentAt(run, this.frame);
    const scene: Scene = {
      ...{ run, moment, axis, geometry: this.geometry, palette: this.palette, byHead: this.byHead },
      layersShown: this.layersShown,
      ...{ layer: this.layer, head: this.head, look: this.look, selected: this.selected },
      metric: this.metric,
      costScale: costScale({ run, metric: this.metric }),
    };
    tiles.draw({
      ...{ from, to, width: this.widthAt(moment), height },
      keyOf: (x0, x1) => tileKey(scene, x0, x1),
      draw(context, x0, x1) {
        drawGrid(context, scene, x0, x1);
        drawBytes(context, scene, x0, x1);
        drawCosts(context, scene, x0, x1);
        drawLinks(context, scene, x0, x1);
      },
    });
  }

  /** The newest column stays in view, unless the reader has scrolled away from it. */
  private followNewest(): void {
    const { scroller } = this;
    const { scrollWidth, scrollLeft, clientWidth } = scroller;
    if (scrollWidth === this.drawnWidth) return;
    const atEnd = scrollLeft + clientWidth >= this.drawnWidth - 80;
    this.drawnWidth = scrollWidth;
    if (!atEnd) return;
    scroller.scrollLeft = scrollWidth;
    const bundles = this.renderRoot.querySelector('.bundles');
    if (bundles) bundles.scrollLeft = scrollWidth;
  }

  private readonly scrolled = (): void => {
    const { scrollLeft, clientWidth } = this.scroller;
    if (clientWidth === 0) return; // nothing to be seen: the tiles are kept for when there is
    // In steps, so that scrolling by a few pixels draws nothing anew.
    const from = Math.max(0, Math.floor((scrollLeft - 128) / 128) * 128);
    const to = Math.ceil((scrollLeft + clientWidth + 128) / 128) * 128;
    if (from !== this.span[0] || to !== this.span[1]) this.span = [from, to];
  };

  private readonly onClick = (event: MouseEvent): void => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const position = this.axis?.at(event.clientX - box.left) ?? -1;
    if (position >= 0) this.emit('kv-select', { position });
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      const chip = this.renderRoot.querySelector<HTMLElement>('.chip.selected');
      if (chip) this.asking.press(chip);
    }
    const last = this.run ? momentAt(this.run, this.frame).tokens - 1 : -1;
    const now = this.selected ?? last;
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    const position = Math.max(0, Math.min(last, to));
    const column = this.axis!.columns[position]!;
    this.emit('kv-select', { position });
    const { scroller } = this;
    if (column.x < scroller.scrollLeft) scroller.scrollLeft = column.x - 8;
    const right = column.x + column.width + 8;
    if (right > scroller.scrollLeft + scroller.clientWidth) {
      scroller.scrollLeft = right - scroller.clientWidth;
    }
  };

  private readonly onTable = (event: Event): void => {
    this.tableOpen = (event.target as HTMLDetailsElement).open;
  };
}

defineView('kv-stage', StageView);

declare global {
  interface HTMLElementTagNameMap {
    'kv-stage': StageView;
  }
}
