import { abortedError } from '../api/errors';
import type { Progress } from '../api/types';
import type { EngineModel, EnginePrefill, EngineSession } from './engine';
import { unwrap } from './failure';
import { yieldToMessages } from './yield';

/** The most that the engine takes at once, which its matrix kernels like best. */
const MAX_CHUNK_TOKENS = 128;
const FIRST_CHUNK_TOKENS = 64;
/** No pass should hold an abort up for much longer than this. */
const CHUNK_MS = 350;

/** Tokens a pass, as the last one of a session showed. */
const chunkOf = new WeakMap<EngineSession, number>();

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
  for (let before = 0; ; ) {
    const chunk = chunkOf.get(session) ?? FIRST_CHUNK_TOKENS;
    const startedAt = performance.now();
    const { done, total, finished } = unwrap(session.prefillStep(chunk));
    const isFull = done - before === chunk;
    chunkOf.set(session, nextChunk(chunk, isFull, performance.now() - startedAt));
    if (finished) return session.prefillResult();
    before = done;
    progress({ phase: 'prefill', loaded: done, total });
    await yieldToMessages();
    if (signal.aborted) {
      session.prefillAbort();
      throw abortedError(`Prefill, after ${done} of ${total} tokens,`);
    }
  }
}

function nextChunk(tokens: number, isFull: boolean, ms: number): number {
  if (ms > CHUNK_MS) return Math.max(8, tokens >> 1);
  return isFull && 2 * ms <= CHUNK_MS ? Math.min(MAX_CHUNK_TOKENS, 2 * tokens) : tokens;
}
