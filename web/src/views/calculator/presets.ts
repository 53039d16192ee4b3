import type { KvShape } from '../../shape/gguf-shape';

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
