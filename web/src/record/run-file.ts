// A run as a file: everything the engine reported, to be shown again without the engine.
import type { ModelInfo } from '../api/types';
import type { HeadMap } from './head-map';
import type { RunRecord } from './record';

export function exportRun(run: RunRecord): string {
  return JSON.stringify({ ...run, prefilling: null });
}

/** Reads what exportRun wrote. Throws a plain Error that says what is wrong with another file. */
export function parseRun(text: string): RunRecord {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Error('not JSON');
  }
  const run = data as RunRecord;
  if (run?.format !== 'kvscope-run') throw new Error('format is not "kvscope-run"');
  if (run.version !== 1) throw new Error(`version ${run.version}; this page reads version 1`);
  check(run);
  return run;
}

function check(run: RunRecord): void {
  const { model, session, settings, prompt, prefill, steps } = run;
  for (const key of ['layers', 'heads', 'kvHeads', 'headDim', 'dim', 'ffnDim'] as const) {
    need(isCount(model?.[key]) && model[key] > 0, `model.${key}`);
  }
  need(['f16', 'f32', 'q8_0'].includes(session?.kvType), 'session.kvType');
  need(typeof settings === 'object' && settings !== null, 'settings');
  need(typeof prompt?.text === 'string' && isList(prompt.tokens, isToken), 'prompt');
  need(prefill === null || (isCount(prefill?.tokens) && isPass(prefill)), 'prefill');
  need(!prefill || prefill.tokens === prompt.tokens.length, 'prefill.tokens');
  need(
    isList(steps, (step) => isToken(step) && isPass(step)),
    'steps',
  );
  for (const [i, step] of steps.entries()) {
    need(step.position === prompt.tokens.length + i, `steps[${i}].position`);
  }
  run.looks = isList(run.looks, isLook) ? run.looks : [];
  run.matrices = Array.isArray(run.matrices) ? run.matrices : [];
  run.maps = isList(run.maps, (map) => isMap(map, model)) ? run.maps : [];
  run.uncached ??= null;
}

function need(ok: boolean, field: string): asserts ok {
  if (!ok) throw new Error(`the field ${field} is missing or wrong`);
}

const isCount = (n: unknown): n is number => Number.isSafeInteger(n) && (n as number) >= 0;

const isNumbers = (list: unknown): list is number[] =>
  Array.isArray(list) && list.every((n) => typeof n === 'number');

const isList = <T>(list: T[], test: (item: T) => boolean): boolean =>
  Array.isArray(list) && list.every((item) => item && test(item));

const isToken = ({ id, text, bytes }: { id: number; text: string; bytes: number[] }) =>
  isCount(id) && typeof text === 'string' && isNumbers(bytes);

const isPass = ({ ms, macs, kv, top }: { ms: number; macs: number; kv: unknown; top: unknown }) =>
  Number.isFinite(ms) &&
  isCount(macs) &&
  isCount((kv as { tokens: unknown } | null)?.tokens) &&
  Array.isArray((kv as { layers: unknown }).layers) &&
  Array.isArray(top);

const isLook = (look: {
  layer: number;
  head: number;
  position: number;
  k: number[];
  v: number[];
}) =>
  isCount(look.layer) &&
  isCount(look.head) &&
  isCount(look.position) &&
  isNumbers(look.k) &&
  isNumbers(look.v);

const isMap = ({ position, weights }: HeadMap, { layers, heads }: ModelInfo) =>
  isCount(position) &&
  isList(
    weights,
    (ofLayer) =>
      isList(ofLayer, (ofHead) => isNumbers(ofHead) && ofHead.length === position + 1) &&
      ofLayer.length === heads,
  ) &&
  weights.length === layers;
