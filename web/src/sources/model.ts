// The model's own numbers, with the key of the GGUF file that holds each.
import type { ModelInfo } from '../api/types';
import type { Source } from './source';

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
