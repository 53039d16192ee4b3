import type { Moment } from '../../record/moment';
import type { RunRecord } from '../../record/record';
import type { Format } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';
import { LONG_TOKEN, longestOf } from '../room';
import { tokenText } from '../token-text';

/** What happens at this moment, in one or two sentences. */
export function sayMoment(run: RunRecord, moment: Moment, t: ViewStrings, format: Format): string {
  const { model, prompt, steps, session } = run;
  if (moment.phase === 'tokens') return t.sayTokens(format.int(prompt.tokens.length));
  const pairs = format.int(model.layers * model.kvHeads);
  if (moment.phase === 'prefill') {
    const computed = format.int(moment.tokens - run.prefill!.reused);
    return session.kvCache
      ? t.sayPrefill(computed, pairs, format.bytes(moment.kv!.bytes))
      : t.sayPrefillUncached(computed);
  }
  const step = steps[moment.frame - 2]!;
  const chosen =
    step.finish === 'stop' && step.text === ''
      ? 'END'
      : tokenText({ ...step, special: false }).text;
  const asker = textAt(run, moment.asker);
  const answer = { asker, chosen, p: format.percent(step.p) };
  if (step.macs === 0) return t.sayFirst(answer);
  return session.kvCache
    ? t.sayDecode({ ...answer, pairs, cached: format.int(moment.cached) })
    : t.sayDecodeUncached({ ...answer, tokens: format.int(moment.asker + 1) });
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
