// A moment of a run: what had happened by then. Scrubbing is drawing another moment of the record.
import type { Candidate, Kv } from '../api/types';
import type { RunRecord } from './record';

export interface Moment {
  /** 0: tokenized; 1: prefill done; 1 + n: n decode steps done. */
  frame: number;
  phase: 'tokens' | 'prefill' | 'decode';
  /** Tokens on show: the prompt's and the chosen ones so far. */
  tokens: number;
  /** Tokens whose K and V are in the cache. */
  cached: number;
  kv: Kv | null;
  /** The first position that the newest pass put into the cache; `cached` when it put in none. */
  freshFrom: number;
  /** The position whose Q asked for the newest token; −1 before any pass. */
  asker: number;
  /** What the newest pass answered. */
  top: Candidate[];
  /** The token that was chosen of these; null while none is. */
  chosen: { id: number; position: number } | null;
  /** Multiply-accumulates of the newest pass, 0 where it needed none. */
  macs: number;
  ms: number;
  /** Bytes of Q made by the newest pass, and by all passes so far. */
  qBytes: number;
  qBytesSum: number;
}

export function frameCount(run: RunRecord): number {
  return run.prefill ? 2 + run.steps.length : 1;
}

export function momentAt(run: RunRecord, frame: number): Moment {
  const { prefill, steps, prompt } = run;
  if (!prefill || frame <= 0) return beforePrefill(prompt.tokens.length);
  const done = Math.min(frame - 1, steps.length);
  const step = done > 0 ? steps[done - 1]! : null;
  const before = done > 1 ? steps[done - 2]!.kv : prefill.kv;
  const { kv, top, macs, ms, qBytes } = step ?? prefill;
  const freshFrom = step ? before.tokens : prefill.reused;
  const sum = steps.slice(0, done).reduce((bytes, { qBytes }) => bytes + qBytes, prefill.qBytes);
  return {
    frame: 1 + done,
    phase: step ? 'decode' : 'prefill',
    tokens: prefill.tokens + done,
    cached: kv.tokens,
    kv,
    freshFrom: Math.min(freshFrom, kv.tokens),
    asker: (step ? step.position : prefill.tokens) - 1,
    ...{ top, macs, ms, qBytes },
    chosen: step ? { id: step.id, position: step.position } : null,
    qBytesSum: sum,
  };
}

function beforePrefill(tokens: number): Moment {
  return {
    ...{ frame: 0, phase: 'tokens', tokens, cached: 0, kv: null, freshFrom: 0, asker: -1 },
    ...{ top: [], chosen: null, macs: 0, ms: 0, qBytes: 0, qBytesSum: 0 },
  };
}
