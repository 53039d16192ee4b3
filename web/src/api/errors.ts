import type { ERRORS } from './error-table';

export type ErrorCode = keyof typeof ERRORS;

/** The one error class of the API. `message` has the details, in English; `ERRORS` the translation. */
export class KvScopeError extends Error {
  override readonly name = 'KvScopeError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Of what the engine reports; a DOMException's code is a number. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string';
}

export function abortedError(what: string): KvScopeError {
  return new KvScopeError('aborted', `${what} was stopped by its signal.`);
}
