import { css, html, LitElement, type TemplateResult } from 'lit';
import type { Format, Lang } from '../text/format';
import { viewStrings } from '../text/views/strings';
import { defineView, formats } from './base';
import { drawValues } from './draw-values';
import { onSchemeChange, type Palette, readPalette } from './palette';
import { viewStyles } from './styles';

export type Hue = 'k' | 'v' | 'q' | 'ink';

/**
 * Real numbers as cells: a vector is one row of them, a matrix many. Positive ones in the hue, negative
 * ones in grey, stronger the further from zero.
 *
 * @fires kv-cell - detail: { index }: a cell was pressed
 */
export class StripeView extends LitElement {
  static override styles = [
    viewStyles,
    css`
      canvas {
        display: block;
        width: 100%;
        height: var(--stripe-height, 1.5rem);
        border: 1px solid var(--_line);
        image-rendering: pixelated;
      }
    `,
  ];
  static override properties = {
    values: { attribute: false },
    cols: { type: Number },
    hue: { type: String },
    label: { type: String },
    lang: { type: String },
    mark: { type: Number },
    markRow: { type: Number },
  };

  declare values: readonly number[] | null;
  /** Numbers in a row; 0: all of them. */
  declare cols: number;
  declare hue: Hue;
  declare label: string;
  declare lang: Lang;
  /** Index of a cell to frame; −1: none. */
  declare mark: number;
  /** A row to frame; −1: none. */
  declare markRow: number;

  private palette: Palette | undefined;
  private stopListening: (() => void) | undefined;
  private readonly sizes = new ResizeObserver(() => this.draw());

  constructor() {
    super();
    this.values = null;
    this.cols = 0;
    this.hue = 'ink';
    this.label = '';
    this.lang = 'en';
    this.mark = -1;
    this.markRow = -1;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.stopListening = onSchemeChange(() => {
      this.palette = undefined;
      this.draw();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stopListening?.();
    this.sizes.disconnect();
  }

  protected override render(): TemplateResult {
    const t = viewStrings[this.lang];
    const format = formats[this.lang];
    const { values, cols } = this;
    const about = values
      ? t.stripeLabel(this.label, format.int(values.length), ...rangeOf(values, format))
      : this.label;
    return html`<canvas role="img" aria-label=${about} title=${about} data-rows=${values && cols ? values.length / cols : 1} @click=${this.onClick}></canvas>`;
  }

  protected override firstUpdated(): void {
    this.sizes.observe(this.canvas);
  }

  protected override updated(): void {
    this.draw();
  }

  private get canvas(): HTMLCanvasElement {
    return this.renderRoot.querySelector('canvas')!;
  }

  private get shape(): { rows: number; cols: number } {
    const n = this.values?.length ?? 0;
    const cols = this.cols || n;
    return { rows: cols ? Math.ceil(n / cols) : 0, cols };
  }

  private draw(): void {
    const { canvas, values } = this;
    const scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale].map(
      Math.round,
    );
    canvas.width = width!;
    canvas.height = height!;
    const context = canvas.getContext('2d')!;
    if (!values || values.length === 0) return;
    this.palette ??= readPalette(canvas);
    const { palette } = this;
    const { rows, cols } = this.shape;
    const [w, h] = [width! / cols, height! / rows];
    const max = maxAbs(values) || 1;
    const hues = { positive: palette[this.hue], negative: palette.muted };
    drawValues(context, values, { rows, cols, max }, hues);
    context.strokeStyle = palette.ink;
    context.lineWidth = 2 * scale;
    if (this.mark >= 0) {
      context.strokeRect((this.mark % cols) * w, Math.floor(this.mark / cols) * h, w, h);
    }
    if (this.markRow >= 0) context.strokeRect(0, this.markRow * h - 1, width!, h + 2);
  }

  private readonly onClick = (event: MouseEvent): void => {
    const { width, height } = this.canvas.getBoundingClientRect();
    const { rows, cols } = this.shape;
    const col = Math.min(cols - 1, Math.floor((event.offsetX / width) * cols));
    const row = Math.min(rows - 1, Math.floor((event.offsetY / height) * rows));
    const detail = { index: row * cols + col, row, col };
    this.dispatchEvent(new CustomEvent('kv-cell', { detail, bubbles: true, composed: true }));
  };
}

function maxAbs(values: readonly number[]): number {
  return values.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
}

function rangeOf(values: readonly number[], format: Format): [low: string, high: string] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [format.short(low), format.short(high)];
}

defineView('kv-stripe', StripeView);
