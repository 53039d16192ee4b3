// The question of a step: scores, weights, and what came of them.
import { type Look, sameSpot } from '../record/looks';
import { momentAt } from '../record/moment';
import type { RunRecord } from '../record/record';
import { type Formula, minus, over, plus, power, root, term } from './formula';
import { checked, passField, type Source, worked } from './source';

/** So many e^score are written out; of more, their sum. */
const MAX_ADDENDS = 5;
/** The engine's floats have seven digits. */
const FLOAT_TOLERANCE = 1e-4;

export const lookField = (run: RunRecord, look: Look) => `looks[${run.looks.indexOf(look)}]`;

/** Its place in the sequence; as many tokens stand before it. */
export function askerPosition(run: RunRecord, frame: number): Source {
  const { asker, phase } = momentAt(run, frame);
  const one = term(1, 'one');
  const next = { value: asker + 1, field: 'prefill.tokens' };
  if (phase === 'decode') next.field = `${passField(frame)}.position`;
  const formula = minus({ value: next.value, parts: [{ n: next.value, field: next.field }] }, one);
  return { ...worked(formula, ''), note: 'position' };
}

/** Keys that its Q meets: of all tokens up to it. */
export function keysMet(run: RunRecord, frame: number): Source {
  const { asker, phase } = momentAt(run, frame);
  const field = phase === 'decode' ? `${passField(frame)}.position` : 'prefill.tokens';
  return { how: 'counted', unit: 'tokens', value: asker + 1, field };
}

/** q · k ÷ √head_dim; worked out anew where that k was recorded. */
export function score(run: RunRecord, look: Look, position: number): Source {
  const value = look.scores![position]!;
  const source: Source = {
    ...{ how: 'looked', unit: '', value, note: 'score' },
    field: `${lookField(run, look)}.scores[${position}]`,
  };
  const { layer, kvHead } = look;
  const of = run.looks.find(
    (other) => other.position === position && other.layer === layer && other.kvHead === kvHead,
  );
  if (!of || !look.qRotated) return source;
  const dot = look.qRotated.reduce((sum, q, i) => sum + q * of.k[i]!, 0);
  const formula = over(term(dot, 'dot'), root(run.model.headDim, 'headDim'));
  return checked({ ...source, note: undefined, formula }, FLOAT_TOLERANCE);
}

/** Softmax: e^score over the sum of all of them. */
export function weight(run: RunRecord, look: Look, position: number): Source {
  const all = look.scores!.map(power);
  const sum: Formula =
    all.length <= MAX_ADDENDS ? plus(...all) : term(plus(...all).value, 'expSum');
  return checked(
    {
      ...{ how: 'looked', unit: '', value: look.weights![position]!, isShare: true },
      field: `${lookField(run, look)}.weights[${position}]`,
      formula: over(all[position]!, all.length === 1 ? all[0]! : sum),
    },
    FLOAT_TOLERANCE,
  );
}

/** Of a head in the map of all; in the record once the whole map has been read. */
export function headWeight(
  run: RunRecord,
  spot: { layer: number; head: number; position: number },
  { token, weight: value }: { token: number; weight: number },
): Source {
  const look = run.looks.find((look) => sameSpot(look, spot));
  if (look?.weights) return weight(run, look, token);
  const map = run.maps.findIndex(({ position }) => position === spot.position);
  const field = `maps[${map}].weights[${spot.layer}][${spot.head}][${token}]`;
  return { how: 'looked', unit: '', value, isShare: true, ...(map >= 0 && { field }) };
}

/** What the question gives to the tokens [from, to) together; it does not meet the one that it asks for. */
export function bundleWeight(run: RunRecord, look: Look, from: number, to: number): Source {
  const weights = look.weights!.slice(from, to);
  const value = weights.reduce((sum, part) => sum + part, 0);
  const field = `Σ ${lookField(run, look)}.weights[${from}…${from + weights.length - 1}]`;
  return { how: 'looked', unit: '', value, isShare: true, field };
}

/** What is left of 1. */
export function otherWeights(shown: number): Source {
  return { ...worked(minus(term(1), term(shown, 'shown')), '', 'worked'), isShare: true };
}

/** A candidate for the token that the newest pass answered with. */
export function candidate(run: RunRecord, frame: number, index: number): Source {
  const { top } = momentAt(run, frame);
  return {
    ...{ how: 'computed', unit: '', value: top[index]!.p, isShare: true },
    field: `${passField(frame)}.top[${index}].p`,
    ...{ note: 'softmax', noteNumber: run.model.vocabSize },
  };
}

/** The model's probability of a token that was chosen. */
export function chosen(run: RunRecord, step: number): Source {
  return {
    ...{ how: 'computed', unit: '', value: run.steps[step]!.p, isShare: true },
    field: `steps[${step}].p`,
    ...{ note: 'softmax', noteNumber: run.model.vocabSize },
  };
}

/** id and place of any token of the sequence. */
export function token(run: RunRecord, position: number): Source[] {
  const { tokens } = run.prompt;
  const step = position - tokens.length;
  const isPrompt = step < 0;
  const id: Source = {
    ...{ how: isPrompt ? 'counted' : 'computed', unit: '', note: 'tokenizer' },
    value: (isPrompt ? tokens[position] : run.steps[step])!.id,
    field: isPrompt ? `prompt.tokens[${position}].id` : `steps[${step}].id`,
  };
  return isPrompt ? [id] : [chosen(run, step), id];
}
