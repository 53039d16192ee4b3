import { abortedError } from '../api/errors';
import type { Progress } from '../api/types';
import type { EngineModel, EnginePrefill, EngineSession } from './engine';
import { unwrap } from './failure';
import { yieldToMessages } from './yield';

/** A pass of so many tokens keeps the matrix kernels busy and still ends soon on a small model. */
const PREFILL_CHUNK_TOKENS = 64;
/** No pass should hold an abort up for much longer than this. */
const PREFILL_CHUNK_MS = 100;

export type Bos = 'auto' | 'always' | 'never';

/** Text to ids. A chat template may have written BOS already: it is never put in front twice. */
export function encode(model: EngineModel, input: string, special: boolean, bos: Bos): Int32Array {
  const text = input.normalize('NFC');
  const { bosToken } = model.chatTemplate();
  const hasBos = special && bosToken !== '' && text.startsWith(bosToken);
  return model.tokenize(text, special, bos === 'auto' && hasBos ? 'never' : bos);
}

export async function prefill(
  session: EngineSession,
  ids: Int32Array,
  append: boolean,
  signal: AbortSignal,
  progress: (progress: Progress) => void,
): Promise<EnginePrefill> {
  unwrap(session.prefillBegin(ids, append));
  let chunkTokens = PREFILL_CHUNK_TOKENS;
  for (;;) {
    const startedAt = performance.now();
    const { done, total, finished } = unwrap(session.prefillStep(chunkTokens));
    if (finished) return session.prefillResult();
    progress({ phase: 'prefill', loaded: done, total });
    chunkTokens = nextChunk(chunkTokens, performance.now() - startedAt);
    await yieldToMessages();
    if (signal.aborted) {
      session.prefillAbort();
      throw abortedError(`Prefill, after ${done} of ${total} tokens,`);
    }
  }
}

function nextChunk(tokens: number, ms: number): number {
  if (ms > PREFILL_CHUNK_MS) return Math.max(8, tokens >> 1);
  return ms < PREFILL_CHUNK_MS / 4 ? Math.min(PREFILL_CHUNK_TOKENS, tokens * 2) : tokens;
}
