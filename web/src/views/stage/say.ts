import type { Moment } from '../../record/moment';
import type { RunRecord } from '../../record/record';
import type { Format } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';
import { figure, type Sentence, sentence } from '../figure';
import { LONG_TOKEN, longestOf } from '../room';
import { tokenText } from '../token-text';

/** What happens at this moment, in one or two sentences. */
export function sayMoment(
  run: RunRecord,
  moment: Moment,
  t: ViewStrings,
  format: Format,
): Sentence {
  const { model, prompt, steps, session } = run;
  const { frame } = moment;
  if (moment.phase === 'tokens') {
    const tokens = figure(format.int(prompt.tokens.length), (from) => from.cost.promptTokens(run));
    return sentence([tokens], t.sayTokens);
  }
  const pairs = figure(format.int(model.layers * model.kvHeads), (from) => from.cache.pairs(run));
  if (moment.phase === 'prefill') {
    const computed = figure(format.int(moment.tokens - run.prefill!.reused), (from) =>
      from.cost.tokens(run, 'input'),
    );
    const bytes = figure(format.bytes(moment.kv!.bytes), (from) => from.cache.bytes(run, frame));
    return session.kvCache
      ? sentence([computed, pairs, bytes], t.sayPrefill)
      : sentence([computed], t.sayPrefillUncached);
  }
  const step = steps[moment.frame - 2]!;
  const chosen =
    step.finish === 'stop' && step.text === ''
      ? 'END'
      : tokenText({ ...step, special: false }).text;
  const asker = textAt(run, moment.asker);
  const p = figure(format.percent(step.p), (from) => from.question.chosen(run, frame - 2));
  const words = { asker, chosen };
  if (step.macs === 0) return sentence([p], (p) => t.sayFirst({ ...words, p: p! }));
  const met = figure(format.int(moment.asker + 1), (from) => from.question.keysMet(run, frame));
  return session.kvCache
    ? sentence([p, pairs, met], (p, pairs, cached) =>
        t.sayDecode({ ...words, p: p!, pairs: pairs!, cached: cached! }),
      )
    : sentence([p, met], (p, tokens) => t.sayDecodeUncached({ ...words, p: p!, tokens: tokens! }));
}

/** As long as what sayMoment() says at any moment of a run, but for tokens longer than most. */
export function longestSay(
  shape: RunRecord['model'] | null,
  session: RunRecord['session'] | undefined,
  t: ViewStrings,
  format: Format,
): string {
  const pairs = format.int((shape?.layers ?? 1) * (shape?.kvHeads ?? 1));
  const answer = { asker: LONG_TOKEN, chosen: LONG_TOKEN, p: format.percent(1) };
  const first = t.sayFirst(answer);
  return session?.kvCache === false
    ? longestOf(
        first,
        t.sayDecodeUncached({ ...answer, tokens: '000' }),
        t.sayPrefillUncached('000'),
      )
    : longestOf(
        first,
        t.sayDecode({ ...answer, pairs, cached: '000' }),
        t.sayPrefill('000', pairs, '000 MB'),
      );
}

/** The token at a position, as its chip writes it. */
export function textAt(run: RunRecord, position: number): string {
  const { tokens } = run.prompt;
  const token = tokens[position];
  if (token) return tokenText(token).text;
  const step = run.steps[position - tokens.length];
  if (!step) return '';
  const end = step.finish === 'stop' && step.text === '';
  return end ? 'END' : tokenText({ ...step, special: false }).text;
}
