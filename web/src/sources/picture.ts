// Numbers that were chosen for the picture, or with its controls.
import type { ModelInfo } from '../api/types';
import type { RaceMetric, RaceRecord } from '../record/race';
import type { RunRecord } from '../record/record';
import { bytes, tokens } from './cache';
import { type Formula, over, plus, recorded, term, times } from './formula';
import { sumTo } from './race';
import { type Source, worked } from './source';

/** 1, 2 or 5 × 10ⁿ: the value at the full height of a row. */
export function scale(value: number, unit: 'MAC' | 'ms'): Source {
  const powerOfTen = 10 ** Math.floor(Math.log10(value) + 1e-9);
  const formula = times(term(value / powerOfTen, 'scale'), term(powerOfTen, 'powerOfTen'));
  return { ...worked(formula, unit, 'drawn'), note: 'scale' };
}

/** Where its line ends, and its axis. minTokens: there is room for so many from the start. */
export function bytesPlot(
  run: RunRecord,
  frame: number,
  { headroom, minTokens }: { headroom: number; minTokens: number },
): Source[] {
  const end = bytes(run, frame);
  const count = tokens(run, frame);
  const perToken = term(end.value / count.value, 'bytesPerToken');
  const highest =
    count.value < minTokens
      ? times(term(minTokens, 'roomFor'), perToken)
      : recorded(end.value, end.field!);
  return [end, count, axis(highest, headroom, 'B')];
}

export function racePlot(race: RaceRecord, metric: RaceMetric, headroom: number): Source[] {
  const unit = metric === 'macs' ? 'MAC' : 'ms';
  const how = metric === 'macs' ? 'counted' : 'timed';
  const laps = (['uncached', 'cached'] as const).map((name) =>
    sumTo(race[name], name, race[name].steps.length - 1, metric),
  );
  const highest = laps.reduce((a, b) => (a.value > b.value ? a : b));
  return [...laps.map((lap) => worked(lap, unit, how)), axis(highest, headroom, unit)];
}

const axis = (highest: Formula, headroom: number, unit: 'B' | 'MAC' | 'ms'): Source => ({
  ...worked(times(term(headroom, 'headroom'), highest), unit, 'drawn'),
  note: 'axis',
});

/** A moment of a run by its number; see record/moment.ts. */
export function moment(frame: number): Source {
  const formula = frame > 0 ? plus(term(1, 'prefillDone'), term(frame - 1, 'steps')) : term(frame);
  return { ...worked(formula, ''), note: 'moments' };
}

/** Of a slider. */
export const chosen = (value: number, unit: 'tokens' | ''): Source => ({ how: 'set', unit, value });

/** Tokens whose weights one bar of the map sums. */
export const perBar = (value: number): Source => ({
  ...{ how: 'drawn', unit: 'tokens', value },
  note: 'bars',
});

/** Heads that read the same K and V. */
export const perKvHead = ({ heads, kvHeads }: ModelInfo): Source =>
  worked(over(term(heads, 'heads'), term(kvHeads, 'kvHeads')), '', 'shape');
