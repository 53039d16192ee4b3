import { KvScopeError } from './errors';

/** Relative to the document. Throws 'bad-argument', with what `say` says, where it is no URL. */
export function pageUrl(url: string | URL, say: (url: string) => string): URL {
  try {
    return new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href);
  } catch {
    throw new KvScopeError('bad-argument', say(String(url)));
  }
}
