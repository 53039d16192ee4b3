import type { KvShape } from '../../shape/gguf-shape';

export const ELEMENT_TYPES = ['f32', 'f16', 'q8_0', 'q4_0'] as const;
export type ElementType = (typeof ELEMENT_TYPES)[number];

const BITS: Record<ElementType, number> = { f32: 32, f16: 16, q8_0: 8, q4_0: 4 };

export const bitsOf = (type: ElementType): number => BITS[type];

/** One K or V of so many numbers; q8_0 and q4_0 carry a 2-byte scale with every 32. */
export function rowBytes(type: ElementType, dim: number): number {
  const scales = type.startsWith('q') ? 2 * Math.ceil(dim / 32) : 0;
  return Math.ceil((dim * BITS[type]) / 8) + scales;
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

interface Preset {
  shape: KvShape;
  /** Whose published shape it is. */
  source: string;
}

function preset(
  source: string,
  name: string,
  [layers, heads, kvHeads, headDim]: [number, number, number, number],
  contextLength: number,
): Preset {
  const kv = Array<number>(layers).fill(kvHeads);
  const shape = { name, layers, heads, kvHeads: kv, keyDim: headDim, valueDim: headDim };
  return { source, shape: { ...shape, contextLength } };
}

/** Models whose every layer attends to the whole context, so that the formula holds as it is. */
export const PRESETS: Preset[] = [
  preset('HuggingFaceTB/SmolLM2-135M-Instruct', 'SmolLM2 135M', [30, 9, 3, 64], 8192),
  preset('Qwen/Qwen3-0.6B', 'Qwen3 0.6B', [28, 16, 8, 128], 40_960),
  preset('meta-llama/Llama-3.2-1B', 'Llama 3.2 1B', [16, 32, 8, 64], 131_072),
  preset('meta-llama/Llama-3.2-3B', 'Llama 3.2 3B', [28, 24, 8, 128], 131_072),
  preset('meta-llama/Llama-2-7b-hf', 'Llama 2 7B', [32, 32, 32, 128], 4096),
  preset('meta-llama/Llama-3.1-8B', 'Llama 3.1 8B', [32, 32, 8, 128], 131_072),
  preset('meta-llama/Llama-3.1-70B', 'Llama 3.1 70B', [80, 64, 8, 128], 131_072),
];
