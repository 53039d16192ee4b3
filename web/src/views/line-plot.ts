import { css } from 'lit';
import uPlot from 'uplot';
import type { Palette } from './palette';

/** What uPlot's own style sheet says, as far as these plots need it: it does not reach a shadow tree. */
export const plotStyles = css`
  .uplot,
  .u-wrap {
    position: relative;
    width: min-content;
    line-height: 1.5;
    direction: ltr;
  }
  .u-over,
  .u-under,
  .u-axis {
    position: absolute;
  }
  .plot {
    cursor: help;
  }
  .uplot canvas {
    display: block;
    position: relative;
    width: 100%;
    height: 100%;
  }
`;

export interface Line {
  color: string;
  /** Told apart without colour too. */
  dash?: number[];
}

export interface LinePlotOptions {
  palette: Palette;
  lines: Line[];
  xLabel: string;
  formatY(value: number): string;
}

/** An axis ends so far above the highest value. */
export const HEADROOM = 1.05;

/** A few lines over the tokens of a sequence. */
export class LinePlot {
  private readonly plot: uPlot;

  constructor(
    private readonly host: HTMLElement,
    options: LinePlotOptions,
    data: uPlot.AlignedData,
  ) {
    const { width, height } = this.size;
    this.plot = new uPlot(optionsOf(options, width, height), data, host);
  }

  set(data: uPlot.AlignedData): void {
    this.plot.setData(data);
  }

  fit(): void {
    this.plot.setSize(this.size);
  }

  destroy(): void {
    this.plot.destroy();
  }

  private get size(): { width: number; height: number } {
    const { width, height } = this.host.getBoundingClientRect();
    return { width: Math.max(1, width), height: Math.max(1, height) };
  }
}

const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500];

function optionsOf(
  { palette, lines, xLabel, formatY }: LinePlotOptions,
  width: number,
  height: number,
): uPlot.Options {
  const font = `12px ${palette.font}`;
  const axis = { font, stroke: palette.muted, ticks: { show: false } };
  return {
    ...{ width, height, legend: { show: false }, cursor: { show: false } },
    padding: [8, 12, 0, 0],
    scales: { x: { time: false }, y: { range: (_, __, max) => [0, max > 0 ? HEADROOM * max : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: WHOLE,
        label: xLabel,
        labelFont: font,
        labelSize: 18,
        size: 28,
      },
      {
        ...axis,
        grid: { stroke: palette.line, width: 1 },
        size: 76,
        values: (_, values) => values.map(formatY),
      },
    ],
    series: [
      {},
      ...lines.map(({ color, dash }) => ({
        ...{ stroke: color, width: 2, points: { show: false } },
        ...(dash ? { dash } : {}),
      })),
    ],
  };
}
