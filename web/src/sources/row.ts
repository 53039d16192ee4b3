import { bitsOf, type ElementType, rowBytes } from '../shape/kv-bytes';
import { type Formula, plus, term, times } from './formula';

/** One K or V: its numbers, and the scales of the types that have them. */
export function row(type: ElementType, headDim: number): Formula {
  const size = term(headDim, 'headDim');
  const bits = bitsOf(type);
  const numbers = bits === 8 ? size : times(size, term(bits / 8, 'elementBytes'));
  const scales = rowBytes(type, headDim) - Math.ceil(numbers.value);
  return scales > 0 ? plus(numbers, term(scales, 'scaleBytes')) : numbers;
}
