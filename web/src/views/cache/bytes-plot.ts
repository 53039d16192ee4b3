import uPlot from 'uplot';
import { HEADROOM } from '../line-plot';
import { onSchemeChange, readPalette } from '../palette';
import type { KvSeries } from './kv-series';

/** So wide at least, so that an empty plot has its axes already. */
export const MIN_TOKENS = 8;

/** Cache bytes over tokens: K's part below, V's above it, in the colours of the surroundings. */
export class BytesPlot {
  private plot: uPlot | undefined;
  private readonly resize: ResizeObserver;
  private readonly stopListening = onSchemeChange(() => this.rebuild());
  private data: uPlot.AlignedData = [[0], [0], [0]];

  constructor(
    private readonly host: HTMLElement,
    private readonly formatBytes: (bytes: number) => string,
    /** First token that decode made: a line there parts the two phases. */
    private readonly promptTokens: () => number,
    private readonly bytesPerToken: () => number,
  ) {
    this.resize = new ResizeObserver(() => this.fit());
    this.resize.observe(host);
  }

  set({ tokens, bytes, kBytes }: KvSeries): void {
    this.data = [tokens, bytes, kBytes];
    if (this.plot) this.plot.setData(this.data);
    else this.rebuild();
  }

  destroy(): void {
    this.resize.disconnect();
    this.stopListening();
    this.plot?.destroy();
  }

  /** Colours and number format are read once, so another scheme or language means another plot. */
  readonly rebuild = (): void => {
    this.plot?.destroy();
    const { width, height } = this.host.getBoundingClientRect();
    if (width === 0) return;
    this.plot = new uPlot(this.options(width, height), this.data, this.host);
  };

  private fit(): void {
    const { width, height } = this.host.getBoundingClientRect();
    if (!this.plot) this.rebuild();
    else this.plot.setSize({ width, height });
  }

  private options(width: number, height: number): uPlot.Options {
    const palette = readPalette(this.host);
    const font = `12px ${palette.font}`;
    const grid = { stroke: palette.line, width: 1 };
    const axis = { font, stroke: palette.muted, ticks: { show: false } };
    return {
      width,
      height,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 12, 0, 0],
      scales: {
        x: { time: false, range: () => [0, Math.max(MIN_TOKENS, last(this.data[0]))] },
        y: {
          range: () => [
            0,
            HEADROOM * Math.max(MIN_TOKENS * this.bytesPerToken(), last(this.data[1])),
          ],
        },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000],
          size: 28,
        },
        {
          ...axis,
          grid,
          size: 68,
          values: (_, values) => values.map((value) => this.formatBytes(value)),
        },
      ],
      series: [{}, area(palette.v), area(palette.k)],
      hooks: { drawClear: [(plot) => this.markPrefill(plot, palette.prefill)] },
    };
  }

  private markPrefill(plot: uPlot, fill: string): void {
    const to = plot.valToPos(this.promptTokens(), 'x', true);
    const { left, top, height } = plot.bbox;
    plot.ctx.save();
    plot.ctx.fillStyle = fill;
    plot.ctx.fillRect(left, top, Math.max(0, to - left), height);
    plot.ctx.restore();
  }
}

function area(color: string): uPlot.Series {
  const fill = color.replace('rgb(', 'rgba(').replace(')', ', 0.25)');
  return { stroke: color, width: 1.5, fill, points: { show: false } };
}

function last(values: ArrayLike<number | null | undefined> | undefined): number {
  return values?.[values.length - 1] ?? 0;
}
