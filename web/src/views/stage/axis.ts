// The one axis: a column for each token, as wide as its text needs.
import type { RunRecord } from '../../record/record';
import { type TokenText, tokenText } from '../token-text';

export interface Column extends TokenText {
  position: number;
  id: number;
  /** CSS pixels from the axis' start. */
  x: number;
  width: number;
  /** The text is wider than a column may be. */
  cut: boolean;
  kind: TokenText['kind'];
  phase: 'prompt' | 'output';
  /** Probability the model gave it; null for the prompt's. */
  p: number | null;
  end: boolean;
}

const MIN_WIDTH = 48;
const MAX_WIDTH = 128;
const PADDING = 16;
const WORD_GAP = 4;
/** The line between the prompt and what decode made. */
const PHASE_GAP = 20;
const TEXT_SIZE = 16;
const ID_SIZE = 11;

/** Grows with its run; columns that are there never move. */
export class Axis {
  readonly columns: Column[] = [];
  private run: RunRecord | null = null;
  private readonly context = document.createElement('canvas').getContext('2d')!;

  constructor(private readonly font: string) {}

  get width(): number {
    const last = this.columns.at(-1);
    return last ? last.x + last.width + 16 : 0;
  }

  update(run: RunRecord | null): void {
    if (run !== this.run) this.columns.length = 0;
    this.run = run;
    if (!run) return;
    const prompt = run.prompt.tokens;
    for (let i = this.columns.length; i < prompt.length; i++) {
      this.add({ ...prompt[i]!, phase: 'prompt', p: null, end: false });
    }
    for (let i = this.columns.length - prompt.length; i < run.steps.length; i++) {
      const step = run.steps[i]!;
      const end = step.finish === 'stop' && step.text === '';
      this.add({ ...step, special: end, phase: 'output', end });
    }
  }

  /** Index of the column at x; −1 beside all. */
  at(x: number): number {
    let [low, high] = [0, this.columns.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const { x: left, width } = this.columns[middle]!;
      if (x < left) high = middle - 1;
      else if (x >= left + width) low = middle + 1;
      else return middle;
    }
    return -1;
  }

  /** [from, to) of the columns that touch the span. */
  within(x0: number, x1: number): [number, number] {
    const from = this.count(({ x, width }) => x + width <= x0);
    const to = this.count(({ x }) => x < x1);
    return to > from ? [from, to] : [0, 0];
  }

  /** How many columns are left of a place: those for which it holds, from the first on. */
  private count(isLeft: (column: Column) => boolean): number {
    let [low, high] = [0, this.columns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isLeft(this.columns[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private add(
    token: { id: number; bytes: number[]; special: boolean } & Pick<Column, 'phase' | 'p' | 'end'>,
  ): void {
    const position = this.columns.length;
    const before = this.columns.at(-1);
    const written = tokenText(token);
    const text = token.end ? 'END' : written.text;
    const gap = !before
      ? 0
      : before.phase !== token.phase
        ? PHASE_GAP
        : written.wordStart || before.kind === 'special'
          ? WORD_GAP
          : -1;
    const width =
      PADDING +
      Math.max(this.measure(text, TEXT_SIZE), this.measure(`${position}·${token.id}`, ID_SIZE));
    this.columns.push({
      ...written,
      ...{
        text,
        position,
        id: token.id,
        phase: token.phase,
        p: token.p,
        end: token.end,
      },
      x: before ? before.x + before.width + gap : 0,
      width: Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))),
      cut: width > MAX_WIDTH,
    });
  }

  private measure(text: string, size: number): number {
    this.context.font = `${size}px ${this.font}`;
    return this.context.measureText(text).width;
  }
}

export const centre = ({ x, width }: Column): number => x + width / 2;
