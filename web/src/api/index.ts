export { type ErrorCode, KvScopeError } from './errors';
export { loadModel } from './load-model';
export { Model } from './model';
export { Session } from './session';
export type * from './types';

/** What every code means, in English and Korean. Fetched on its own: most who call the API never show it. */
export const errorTable = async () => (await import('./error-table')).ERRORS;
