// A llama of random weights, a few hundred KB: it says nothing sensible, but it computes for real.
import { type GgufTensor, type GgufValue, writeGguf } from './gguf-writer';

export const SHAPE = {
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 16,
  dim: 64,
  ffnDim: 96,
  contextLength: 512,
};

export interface TinyOptions {
  architecture?: string;
  chatTemplate?: string;
  description?: string;
  seed?: number;
  ffnDim?: number;
}

/** mulberry32: the same weights in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** SentencePiece: control tokens, bytes, then words with the prefixes that lead to them. */
function vocabulary(): { tokens: string[]; types: number[]; scores: number[] } {
  const tokens = ['<unk>', '<s>', '</s>', '<|im_start|>', '<|im_end|>'];
  const types = [2, 3, 3, 3, 3];
  for (let byte = 0; byte < 256; byte++) {
    tokens.push(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
    types.push(6);
  }
  const words = ['▁바다', '▁색깔', '▁파랗다', '▁sea', '▁the', '▁is', '▁blue', '은', '는', '.', '?'];
  const pieces = new Set<string>();
  for (const word of words) {
    for (const char of word) pieces.add(char);
    for (let end = 2; end <= word.length; end++) pieces.add(word.slice(0, end));
  }
  for (const char of 'abcdefghijklmnopqrstuvwxyz\n') pieces.add(char);
  for (const piece of pieces) {
    tokens.push(piece);
    types.push(1);
  }
  // llama.cpp merges the best score first: the longer a piece, the later it was made.
  const scores = tokens.map((token, id) => (types[id] === 1 ? -token.length - id / 1e4 : 0));
  return { tokens, types, scores };
}

export function tinyLlama(options: TinyOptions = {}): Buffer {
  const { architecture = 'llama', chatTemplate, description, seed = 1 } = options;
  const { tokens, types, scores } = vocabulary();
  const shape = { ...SHAPE, ffnDim: options.ffnDim ?? SHAPE.ffnDim };
  const { layers, heads, kvHeads, headDim, dim, ffnDim, contextLength } = shape;
  const key = (name: string) => `${architecture}.${name}`;
  const metadata: Record<string, GgufValue> = {
    'general.architecture': { str: architecture },
    'general.name': { str: 'tiny random llama' },
    [key('block_count')]: { u32: layers },
    [key('context_length')]: { u32: contextLength },
    [key('embedding_length')]: { u32: dim },
    [key('feed_forward_length')]: { u32: ffnDim },
    [key('attention.head_count')]: { u32: heads },
    [key('attention.head_count_kv')]: { u32: kvHeads },
    [key('attention.layer_norm_rms_epsilon')]: { f32: 1e-5 },
    [key('rope.dimension_count')]: { u32: headDim },
    [key('rope.freq_base')]: { f32: 10_000 },
    'tokenizer.ggml.model': { str: 'llama' },
    'tokenizer.ggml.pre': { str: 'default' },
    'tokenizer.ggml.tokens': { strs: tokens },
    'tokenizer.ggml.scores': { f32s: scores },
    'tokenizer.ggml.token_type': { i32s: types },
    'tokenizer.ggml.bos_token_id': { u32: 1 },
    'tokenizer.ggml.eos_token_id': { u32: 2 },
    'tokenizer.ggml.unknown_token_id': { u32: 0 },
    'tokenizer.ggml.add_bos_token': { bool: true },
    'tokenizer.ggml.add_space_prefix': { bool: true },
  };
  if (description !== undefined) metadata['general.description'] = { str: description };
  if (chatTemplate !== undefined) metadata['tokenizer.chat_template'] = { str: chatTemplate };
  return writeGguf(metadata, tensors(shape, tokens.length, random(seed)));
}

function tensors(shape: typeof SHAPE, vocabSize: number, next: () => number): GgufTensor[] {
  const { layers, heads, kvHeads, headDim, dim, ffnDim } = shape;
  const matrix = (name: string, cols: number, rows: number): GgufTensor => ({
    name,
    shape: [cols, rows],
    data: Float32Array.from({ length: cols * rows }, () => (next() * 2 - 1) * Math.sqrt(3 / cols)),
  });
  const norm = (name: string): GgufTensor => ({
    name,
    shape: [dim],
    data: new Float32Array(dim).fill(1),
  });
  const block = (i: number): GgufTensor[] => [
    norm(`blk.${i}.attn_norm.weight`),
    matrix(`blk.${i}.attn_q.weight`, dim, heads * headDim),
    matrix(`blk.${i}.attn_k.weight`, dim, kvHeads * headDim),
    matrix(`blk.${i}.attn_v.weight`, dim, kvHeads * headDim),
    matrix(`blk.${i}.attn_output.weight`, heads * headDim, dim),
    norm(`blk.${i}.ffn_norm.weight`),
    matrix(`blk.${i}.ffn_gate.weight`, dim, ffnDim),
    matrix(`blk.${i}.ffn_up.weight`, dim, ffnDim),
    matrix(`blk.${i}.ffn_down.weight`, ffnDim, dim),
  ];
  return [
    matrix('token_embd.weight', dim, vocabSize),
    ...Array.from({ length: layers }, (_, i) => block(i)).flat(),
    norm('output_norm.weight'),
  ];
}
