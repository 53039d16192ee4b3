// What input and output cost.
import type { RunRecord, StepRecord } from '../record/record';
import { type Formula, minus, over, plus, recorded, term, times } from './formula';
import { checked, type Source, stepsField, worked } from './source';
import { allOf, macs as macsOf, passOf, type Work } from './work';

type Summed = 'ms' | 'macs' | 'weightBytesRead' | 'kvBytesRead';

/** The passes of one column of the table. */
interface Side {
  tokens: Formula;
  work: Work;
  /** The sum over its passes, and where that stands. */
  sum(key: Summed): { value: number; field: string };
}

function input(run: RunRecord): Side {
  const prefill = run.prefill!;
  const tokens = recorded(prefill.tokens, 'prefill.tokens');
  return {
    tokens: minus(tokens, recorded(prefill.reused, 'prefill.reused')),
    work: passOf(prefill.reused, prefill.tokens),
    sum: (key) => ({ value: prefill[key], field: `prefill.${key}` }),
  };
}

function output(run: RunRecord): Side {
  const { steps, session } = run;
  const passes = steps.filter((step) => step.macs > 0);
  const [first, last] = [steps.indexOf(passes[0]!), steps.length - 1];
  return {
    tokens: minus(
      recorded(steps.length, 'steps.length'),
      term(steps.length - passes.length, 'noPass'),
    ),
    work: allOf(passes.map((step) => workOf(step, session.kvCache))),
    sum: (key) => ({
      value: passes.reduce((sum, step) => sum + step[key], 0),
      field: passes.length > 0 ? stepsField(first, last, key) : '',
    }),
  };
}

/** The token before a step's own is passed through; without a cache all before it. */
const workOf = ({ position }: Pick<StepRecord, 'position'>, kvCache: boolean): Work =>
  passOf(kvCache ? position - 1 : 0, position);

export type Column = 'input' | 'output';

const sideOf = (run: RunRecord, column: Column) => (column === 'input' ? input(run) : output(run));

const summed = (side: Side, key: Summed): Formula => {
  const { value, field } = side.sum(key);
  return recorded(value, field);
};

const count = (side: Side) => term(side.tokens.value, 'computed');

export function tokens(run: RunRecord, column: Column): Source {
  return worked(sideOf(run, column).tokens, 'tokens');
}

export function ms(run: RunRecord, column: Column): Source {
  const { value, field } = sideOf(run, column).sum('ms');
  return { how: 'timed', unit: 'ms', value, field, ...(value === 0 && { note: 'coarse' }) };
}

export function msPerToken(run: RunRecord, column: Column): Source {
  const side = sideOf(run, column);
  return worked(over(summed(side, 'ms'), count(side)), 'ms');
}

export function tokensPerSecond(run: RunRecord, column: Column): Source {
  const side = sideOf(run, column);
  const seconds = times(term(1000, 'msPerSecond'), count(side));
  return worked(over(seconds, summed(side, 'ms')), 'tokens/s');
}

export function macs(run: RunRecord, column: Column): Source {
  const side = sideOf(run, column);
  const formula = macsOf(run.model, side.work);
  return checked({ how: 'counted', unit: 'MAC', ...side.sum('macs'), formula });
}

const PER_TOKEN = {
  macs: 'MAC',
  weightBytesRead: 'B',
  kvBytesRead: 'B',
} as const;

export function perToken(run: RunRecord, column: Column, key: keyof typeof PER_TOKEN): Source {
  const side = sideOf(run, column);
  return worked(over(summed(side, key), count(side)), PER_TOKEN[key]);
}

export function intensity(run: RunRecord, column: Column): Source {
  const side = sideOf(run, column);
  const read = plus(summed(side, 'weightBytesRead'), summed(side, 'kvBytesRead'));
  return worked(over(summed(side, 'macs'), read), 'MAC/B');
}

/** In the money of the prices that were typed in. */
export function price(run: RunRecord, inputPrice: number, outputPrice: number): Source {
  const sum = plus(
    times(
      recorded(run.prompt.tokens.length, 'prompt.tokens.length'),
      term(inputPrice, 'inputPrice'),
    ),
    times(recorded(run.steps.length, 'steps.length'), term(outputPrice, 'outputPrice')),
  );
  return worked(over(sum, term(1e6, 'million')), '', 'typed');
}

/** One pass of the stage's table: the prefill, or the step that it gave the token of. */
export function pass(run: RunRecord, step: number | null, metric: 'ms' | 'macs'): Source {
  const { prefill, steps, session, model } = run;
  const field = `${step === null ? 'prefill' : `steps[${step}]`}.${metric}`;
  const value = step === null ? prefill![metric] : steps[step]![metric];
  if (metric === 'ms') return { how: 'timed', unit: 'ms', value, field };
  const work =
    step === null
      ? passOf(prefill!.reused, prefill!.tokens)
      : workOf(steps[step]!, session.kvCache);
  return checked({ how: 'counted', unit: 'MAC', value, field, formula: macsOf(model, work) });
}

/** Tokens of the prompt, those that were in the cache already, and those that came out. */
export function promptTokens(run: RunRecord): Source {
  const value = run.prompt.tokens.length;
  return { how: 'counted', unit: 'tokens', value, field: 'prompt.tokens.length' };
}

export function reusedTokens(run: RunRecord): Source {
  const value = run.prefill!.reused;
  return { how: 'counted', unit: 'tokens', value, field: 'prefill.reused' };
}

export function outputTokens(run: RunRecord): Source {
  return { how: 'counted', unit: 'tokens', value: run.steps.length, field: 'steps.length' };
}
