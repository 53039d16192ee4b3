// The bytes of a KV cache, as they follow from the shape of its model.
import type { KvType, ModelInfo } from '../api/types';
import type { KvShape } from './gguf-shape';

export const ELEMENT_TYPES = ['f32', 'f16', 'q8_0', 'q4_0'] as const;
export type ElementType = (typeof ELEMENT_TYPES)[number];

const BITS: Record<ElementType, number> = { f32: 32, f16: 16, q8_0: 8, q4_0: 4 };

export const bitsOf = (type: ElementType): number => BITS[type];

/** One K or V of so many numbers; q8_0 and q4_0 carry a 2-byte scale with every 32. */
export function rowBytes(type: ElementType, dim: number): number {
  const scales = type.startsWith('q') ? 2 * Math.ceil(dim / 32) : 0;
  return Math.ceil((dim * BITS[type]) / 8) + scales;
}

/** Of a loaded model, whose layers are alike: 2 (K and V) × layers × KV heads × bytes of one K or V */
export function kvBytesPerToken(
  shape: Pick<ModelInfo, 'layers' | 'kvHeads' | 'headDim'>,
  type: KvType,
): number {
  return 2 * shape.layers * shape.kvHeads * rowBytes(type, shape.headDim);
}

/** Σ over layers of KV heads × (bytes of a K + bytes of a V) */
export function bytesPerToken({ kvHeads, keyDim, valueDim }: KvShape, type: ElementType): number {
  const pair = rowBytes(type, keyDim) + rowBytes(type, valueDim);
  return kvHeads.reduce((sum, heads) => sum + heads * pair, 0);
}

/** How many times as much it would be with as many KV heads as there are heads. */
export function withoutGrouping(shape: KvShape): number {
  const kvHeads = shape.kvHeads.map((heads) => (heads > 0 ? shape.heads : 0));
  return bytesPerToken({ ...shape, kvHeads }, 'f16') / bytesPerToken(shape, 'f16');
}
