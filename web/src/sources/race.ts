// Two runs of one prompt, with the cache and without.
import type { ModelInfo } from '../api/types';
import { type Lap, type RaceMetric, type RaceRecord, summed } from '../record/race';
import { type Formula, over, plus, recorded, term } from './formula';
import { checked, type Source, stepsField, worked } from './source';
import { macs, passOf } from './work';

export type LapName = 'cached' | 'uncached';

const unitOf = (metric: RaceMetric) => (metric === 'macs' ? 'MAC' : 'ms');

/** The step of a race that the nth token of the sequence is the answer of, counted from 1. */
const stepAt = ({ cached }: RaceRecord, token: number) => token - 1 - cached.prefill.tokens;

export function token(race: RaceRecord, at: number): Source {
  const prompt = recorded(race.cached.prefill.tokens, 'race.cached.prefill.tokens');
  return worked(plus(prompt, term(stepAt(race, at), 'passes'), term(1, 'noPass')), 'tokens');
}

/** The pass for that token: of the one before it, or without the cache of all before it. */
export function step(
  race: RaceRecord,
  lap: LapName,
  at: number,
  metric: RaceMetric,
  model: ModelInfo | null,
): Source {
  const index = stepAt(race, at);
  const value = race[lap].steps[index]![metric];
  const field = `race.${lap}.steps[${index}].${metric}`;
  const source: Source = { how: 'counted', unit: unitOf(metric), value, field };
  if (metric === 'ms') return { ...source, how: 'timed' };
  if (!model) return source;
  const work = passOf(lap === 'cached' ? at - 2 : 0, at - 1);
  return checked({ ...source, formula: macs(model, work) });
}

/** Everything of a lap up to a step. */
export function total(race: RaceRecord, lap: LapName, metric: RaceMetric): Source {
  const sum = sumTo(race[lap], lap, race[lap].steps.length - 1, metric);
  return worked(sum, unitOf(metric), metric === 'ms' ? 'timed' : 'counted');
}

export function ratio(race: RaceRecord, at: number, metric: RaceMetric): Source {
  const index = stepAt(race, at);
  const of = (lap: LapName) =>
    recorded(race[lap].steps[index]![metric], `race.${lap}.steps[${index}].${metric}`);
  return worked(over(of('uncached'), of('cached')), 'times');
}

export function sumRatio(race: RaceRecord, at: number, metric: RaceMetric): Source {
  const index = stepAt(race, at);
  const of = (lap: LapName) => sumTo(race[lap], lap, index, metric);
  return worked(over(of('uncached'), of('cached')), 'times');
}

export function tokens(race: RaceRecord, lap: LapName): Source {
  const field = `race.${lap}.steps.length`;
  return { how: 'counted', unit: 'tokens', value: race[lap].steps.length, field };
}

export const compared = (race: RaceRecord, same: number): Source => ({
  ...tokens(race, race.cached.steps.length === same ? 'cached' : 'uncached'),
  note: 'sameIds',
});

/** The prefill of a lap and its steps up to that one. */
export function sumTo(lap: Lap, name: LapName, last: number, metric: RaceMetric): Formula {
  const prefill = recorded(lap.prefill[metric], `race.${name}.prefill.${metric}`);
  if (last < 0) return prefill;
  const all = summed(lap, metric)[last + 1]!;
  const steps = recorded(all - prefill.value, stepsField(0, last, metric, `race.${name}.`));
  return plus(prefill, steps);
}
