// The KV cache's figures.
import type { KvType, ModelInfo } from '../api/types';
import { momentAt } from '../record/moment';
import type { RunRecord } from '../record/record';
import { type Formula, recorded, term, times } from './formula';
import { row } from './row';
import { checked, passField, type Source, stepsField, worked } from './source';

type Shape = Pick<ModelInfo, 'layers' | 'heads' | 'kvHeads' | 'headDim'>;

const ofShape = ({ layers, kvHeads, headDim }: Shape, type: KvType): Formula[] => [
  term(2, 'kAndV'),
  term(layers, 'layers'),
  term(kvHeads, 'kvHeads'),
  row(type, headDim),
];

/** Up to a position: 0, the bytes of the whole cache at that moment. */
export function bytes(run: RunRecord, frame: number): Source {
  const { kv } = momentAt(run, frame);
  const tokens = term(kv!.tokens, 'tokens');
  return checked({
    ...{ how: 'counted', unit: 'B', value: kv!.bytes, field: `${passField(frame)}.kv.bytes` },
    formula: times(...ofShape(run.model, kv!.type), tokens),
  });
}

export function tokens(run: RunRecord, frame: number): Source {
  const value = momentAt(run, frame).kv!.tokens;
  return { how: 'counted', unit: 'tokens', value, field: `${passField(frame)}.kv.tokens` };
}

/** Before a run, of the model and the type that was chosen for it. */
export function perToken(model: ModelInfo, type: KvType, run: RunRecord | null, frame: number) {
  const formula = times(...ofShape(model, type));
  const kv = run && momentAt(run, frame).kv;
  if (!kv) return worked(formula, 'B', 'shape');
  const field = `${passField(frame)}.kv.bytesPerToken`;
  return checked({ how: 'counted', unit: 'B', value: kv.bytesPerToken, field, formula });
}

export function perLayer(run: RunRecord, frame: number): Source {
  const { kv } = momentAt(run, frame);
  const { kBytes, vBytes } = kv!.layers[0] ?? { kBytes: 0, vBytes: 0 };
  const at = `${passField(frame)}.kv.layers[0]`;
  const [kAndV, , ...rest] = ofShape(run.model, kv!.type);
  return checked({
    ...{ how: 'counted', unit: 'B', value: kBytes + vBytes },
    field: `${at}.kBytes + ${at}.vBytes`,
    formula: times(kAndV!, ...rest, term(kv!.tokens, 'tokens')),
  });
}

export function perKvHead(run: RunRecord, frame: number): Source {
  const kv = momentAt(run, frame).kv!;
  const [kAndV, , , rowBytes] = ofShape(run.model, kv.type);
  return worked(times(kAndV!, rowBytes!, term(kv.tokens, 'tokens')), 'B');
}

/** The engine sets memory aside in pages of so many tokens. */
export function reserved(run: RunRecord, frame: number): Source {
  const { reservedBytes, bytesPerToken } = momentAt(run, frame).kv!;
  const formula = times(
    term(bytesPerToken, 'bytesPerToken'),
    term(reservedBytes / bytesPerToken, 'room'),
  );
  const field = `${passField(frame)}.kv.reservedBytes`;
  return checked({ how: 'counted', unit: 'B', value: reservedBytes, field, formula });
}

/** So many tokens at another type, and with a K and a V for every head. */
export function wouldBe(model: ModelInfo, type: KvType, tokens: number, kvHeads: number): Source {
  const shape = ofShape({ ...model, kvHeads }, type);
  if (kvHeads !== model.kvHeads) shape[2] = term(kvHeads, 'heads');
  return worked(times(...shape, term(tokens, 'tokens')), 'B', 'shape');
}

/** So many tokens of it. */
export function ofTokens(run: RunRecord, frame: number, tokens: number): Source {
  const kv = momentAt(run, frame).kv!;
  const field = `${passField(frame)}.kv.bytesPerToken`;
  return worked(times(recorded(kv.bytesPerToken, field), term(tokens, 'tokens')), 'B');
}

/** Pairs of a K and a V that every token leaves. */
export function pairs(run: RunRecord): Source {
  const { layers, kvHeads } = run.model;
  return {
    ...worked(times(term(layers, 'layers'), term(kvHeads, 'kvHeads')), '', 'shape'),
    note: 'pairs',
  };
}

const F32_BYTES = 4;

/** Q of the newest pass. */
export function qBytes(run: RunRecord, frame: number): Source {
  const { qBytes: value, asker, phase } = momentAt(run, frame);
  const isPrefill = phase !== 'decode';
  const whole = isPrefill || !run.session.kvCache;
  const first = whole && isPrefill ? run.prefill!.reused : 0;
  const made = value === 0 ? 0 : whole ? asker + 1 - first : 1;
  const field = `${passField(frame)}.qBytes`;
  return checked({ how: 'counted', unit: 'B', value, field, formula: ofQ(run.model, made) });
}

/** Q of all passes so far. */
export function qBytesSum(run: RunRecord, frame: number): Source {
  const { qBytesSum: value } = momentAt(run, frame);
  const { prefill, steps } = run;
  const fields = ['prefill.qBytes'];
  if (frame > 1) fields.push(stepsField(0, frame - 2, 'qBytes'));
  let made = prefill!.tokens - prefill!.reused;
  for (const { macs, position } of steps.slice(0, Math.max(0, frame - 1))) {
    if (macs > 0) made += run.session.kvCache ? 1 : position;
  }
  const field = fields.join(' + ');
  return checked({ how: 'counted', unit: 'B', value, field, formula: ofQ(run.model, made) });
}

/** Nothing of Q is in the cache. */
export const qKept = (): Source => ({ how: 'counted', unit: 'B', value: 0, note: 'noQ' });

const ofQ = ({ layers, heads, headDim }: Shape, tokens: number): Formula =>
  times(
    term(tokens, 'computed'),
    term(layers, 'layers'),
    term(heads, 'heads'),
    term(headDim, 'headDim'),
    term(F32_BYTES, 'elementBytes'),
  );
