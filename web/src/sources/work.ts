// Multiply-accumulates, as the shapes give them.
import type { ModelInfo } from '../api/types';
import { type Formula, plus, term, times } from './formula';

export interface Work {
  /** Passed through the network. */
  tokens: number;
  /** Keys that they met, summed over the tokens. */
  positions: number;
  /** Positions whose logits were computed. */
  logits: number;
}

/** One pass of the tokens [first, end). */
export function passOf(first: number, end: number): Work {
  const tokens = end - first;
  return { tokens, positions: tokens * first + (tokens * (tokens + 1)) / 2, logits: 1 };
}

export function allOf(passes: Work[]): Work {
  const sum = { tokens: 0, positions: 0, logits: 0 };
  for (const { tokens, positions, logits } of passes) {
    sum.tokens += tokens;
    sum.positions += positions;
    sum.logits += logits;
  }
  return sum;
}

/** Matrices and attention of every layer, and the logits. */
export function macs(model: ModelInfo, { tokens, positions, logits }: Work): Formula {
  const { layers, heads, kvHeads, headDim, dim, ffnDim, vocabSize } = model;
  const [d, q] = [term(dim, 'dim'), term(heads * headDim, 'qDim')];
  const matrices = plus(
    times(term(2, 'qAndO'), d, q),
    times(term(2, 'wkAndWv'), d, term(kvHeads * headDim, 'kvDim')),
    times(term(3, 'ffn'), d, term(ffnDim, 'ffnDim')),
  );
  const attention = times(term(2, 'qkAndWv'), q, term(positions, 'positions'));
  const ofTokens = tokens === 1 ? matrices : times(term(tokens, 'computed'), matrices);
  const head = [...(logits === 1 ? [] : [term(logits, 'passes')]), d, term(vocabSize, 'vocab')];
  return plus(times(term(layers, 'layers'), plus(ofTokens, attention)), times(...head));
}
