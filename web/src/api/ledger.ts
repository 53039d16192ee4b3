import { FINISHES, type KvFill, type KvLayout, type SessionState, STEP } from '../worker/engine';
import type { Piece, PrefillReply, StepBatch } from '../worker/protocol';
import type { Candidate, Kv, PhaseStats, PrefillResult, Stats, Step } from './types';

/** A step as the loop gets it, and the one count of it that only the session's sums show. */
export interface CountedStep {
  step: Step;
  kvBytesWritten: number;
}

/**
 * A session's numbers on this side of the worker. What never changes came once, what a step changes
 * comes as plain numbers; the objects of the API are made from both, each a new one.
 */
export class Ledger {
  private readonly pieces = new Map<number, Piece>();
  private fill: KvFill;
  private sums: Stats;

  constructor(
    private readonly layout: KvLayout,
    state: SessionState,
  ) {
    this.fill = state.kv;
    this.sums = state.stats;
  }

  get kv(): Kv {
    return this.kvOf(this.fill);
  }

  get stats(): Stats {
    const { input, output, qBytesDiscarded } = this.sums;
    return { input: { ...input }, output: { ...output }, qBytesDiscarded };
  }

  /** The engine's own counters. */
  set({ kv, stats }: SessionState): void {
    this.fill = kv;
    this.sums = stats;
  }

  /** The step was given out: the session shows its numbers from now on. */
  count({ step, kvBytesWritten }: CountedStep): void {
    const { output }: { output: PhaseStats } = this.sums;
    output.tokens++;
    output.ms += step.ms;
    output.macs += step.macs;
    output.weightBytesRead += step.weightBytesRead;
    output.kvBytesRead += step.kvBytesRead;
    output.kvBytesWritten += kvBytesWritten;
    this.sums.qBytesDiscarded += step.qBytes;
    const { tokens, bytes, reservedBytes } = step.kv;
    this.fill = { tokens, bytes, reservedBytes };
  }

  prefill({ result, state, pieces }: PrefillReply): PrefillResult {
    this.learn(pieces);
    this.set(state);
    const { candidates, ...counts } = result;
    const top = this.candidates(candidates, 0, candidates.length);
    return { ...counts, kv: this.kv, top };
  }

  /** Leaves the session's own numbers alone: see count(). */
  steps({ count, numbers, text, pieces }: StepBatch): CountedStep[] {
    this.learn(pieces);
    const stride = numbers.length / count;
    const steps: CountedStep[] = [];
    let textBegin = 0;
    for (let begin = 0; begin < numbers.length; begin += stride) {
      const textEnd = textBegin + numbers[begin + STEP.textLength]!;
      steps.push({
        step: this.step(numbers, begin, begin + stride, text.slice(textBegin, textEnd)),
        kvBytesWritten: numbers[begin + STEP.kvBytesWritten]!,
      });
      textBegin = textEnd;
    }
    return steps;
  }

  private step(numbers: Float64Array, begin: number, end: number, text: string): Step {
    const number = (field: number) => numbers[begin + field]!;
    const id = number(STEP.id);
    return {
      id,
      text,
      bytes: this.pieces.get(id)!.bytes.slice(),
      index: number(STEP.index),
      position: number(STEP.position),
      ms: number(STEP.ms),
      macs: number(STEP.macs),
      weightBytesRead: number(STEP.weightBytesRead),
      kvBytesRead: number(STEP.kvBytesRead),
      qBytes: number(STEP.qBytes),
      p: number(STEP.p),
      top: this.candidates(numbers, begin + STEP.candidates, end),
      kv: this.kvOf({
        tokens: number(STEP.kvTokens),
        bytes: number(STEP.kvBytes),
        reservedBytes: number(STEP.reservedBytes),
      }),
      finish: FINISHES[number(STEP.finish)]!,
    };
  }

  private candidates(numbers: Float64Array, begin: number, end: number): Candidate[] {
    const candidates: Candidate[] = [];
    for (let at = begin; at < end; at += 2) {
      const id = numbers[at]!;
      candidates.push({ id, text: this.pieces.get(id)!.text, p: numbers[at + 1]! });
    }
    return candidates;
  }

  private kvOf({ tokens, bytes, reservedBytes }: KvFill): Kv {
    const { capacity, type, bytesPerToken, layers, ...layer } = this.layout;
    const kBytes = tokens * layer.kBytesPerToken;
    const vBytes = tokens * layer.vBytesPerToken;
    return {
      ...{ tokens, capacity, type, bytes, bytesPerToken, reservedBytes },
      layers: Array.from({ length: layers }, () => ({ kBytes, vBytes, heads: layer.heads })),
    };
  }

  private learn(pieces: Piece[]): void {
    for (const piece of pieces) this.pieces.set(piece.id, piece);
  }
}
