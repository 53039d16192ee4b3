// The model's own numbers, with the key of the GGUF file that holds each.
import type { ModelInfo } from '../api/types';
import { term, times } from './formula';
import { type Source, worked } from './source';

export type ModelNumber =
  | 'parameters'
  | 'bytes'
  | 'layers'
  | 'heads'
  | 'kvHeads'
  | 'headDim'
  | 'dim'
  | 'ffnDim'
  | 'vocabSize'
  | 'contextLength'
  | 'threads';

export function number(model: ModelInfo, name: ModelNumber): Source {
  const how = name === 'threads' ? 'counted' : 'file';
  return { how, unit: name === 'bytes' ? 'B' : '', value: model[name], field: `model.${name}` };
}

/** 1, 2 or 5 × 10ⁿ: the value at the full height of a row. */
export function scale(value: number, unit: 'MAC' | 'ms'): Source {
  const powerOfTen = 10 ** Math.floor(Math.log10(value) + 1e-9);
  const formula = times(term(value / powerOfTen, 'scale'), term(powerOfTen, 'powerOfTen'));
  return { ...worked(formula, unit, 'drawn'), note: 'scale' };
}
