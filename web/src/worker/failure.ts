import { isErrorCode, KvScopeError } from '../api/errors';
import type { ErrorReply } from './protocol';

/** What an engine call gave; throws when that is an error. */
export function unwrap<T>(value: T): Exclude<T, Error> {
  if (value instanceof Error) throw value;
  return value as Exclude<T, Error>;
}

/** An error that leaves the engine unusable: a trap, an abort, memory that could not grow. */
export class Fatal extends Error {
  constructor(readonly reply: ErrorReply) {
    super(reply.message);
  }
}

/** Tells apart what the engine reports in good order, what a caller got wrong, and a crash. */
export function describeFailure(error: unknown): ErrorReply {
  if (error instanceof KvScopeError) return { code: error.code, message: error.message };
  const { message, code } = error as { message?: string; code?: unknown };
  if (isErrorCode(code)) return { code, message: message ?? code };
  throw new Fatal(crash(error, message ?? String(error)));
}

function crash(error: unknown, message: string): ErrorReply {
  const outOfMemory =
    /out of memory|OOM|allocat|enlarge memory/i.test(message) || error instanceof RangeError;
  if (outOfMemory && !/call stack/i.test(message)) {
    return {
      code: 'out-of-memory',
      message: `The engine ran out of memory (${message}). Close other models or take a smaller one.`,
    };
  }
  return {
    code: 'engine-crashed',
    message: `The engine stopped (${message}). Load the model again to go on.`,
  };
}
