// The KV cache of models that are not here.
import type { KvShape } from '../shape/gguf-shape';
import { bytesPerToken, type ElementType, withoutGrouping } from '../shape/kv-bytes';
import type { How } from '../text/sources/strings';
import { type Formula, over, term, times } from './formula';
import { row } from './row';
import { type Source, worked } from './source';

/** Layers that differ are not a product: their pairs are added up. */
function ofToken(shape: KvShape, type: ElementType): Formula {
  const { kvHeads, keyDim, valueDim, layers } = shape;
  const isEven = new Set(kvHeads).size === 1 && keyDim === valueDim;
  if (!isEven) return term(bytesPerToken(shape, type), 'pairBytes');
  const [kAndV, pairs] = [term(2, 'kAndV'), term(kvHeads[0]!, 'kvHeads')];
  return times(kAndV, term(layers, 'layers'), pairs, row(type, keyDim));
}

export const perToken = (shape: KvShape, type: ElementType, how: How): Source =>
  worked(ofToken(shape, type), 'B', how);

export const inAll = (
  shape: KvShape,
  type: ElementType,
  tokens: number,
  batch: number,
  how: How,
): Source =>
  worked(times(ofToken(shape, type), term(tokens, 'tokens'), term(batch, 'batch')), 'B', how);

export function ungrouped(shape: KvShape, how: How): Source {
  const { kvHeads, heads } = shape;
  const isEven = new Set(kvHeads).size === 1;
  const formula = isEven
    ? over(term(heads, 'heads'), term(kvHeads[0]!, 'kvHeads'))
    : over(
        term(withoutGrouping(shape) * bytesPerToken(shape, 'f16'), 'ungroupedBytes'),
        term(bytesPerToken(shape, 'f16'), 'pairBytes'),
      );
  return worked(formula, 'times', how);
}
