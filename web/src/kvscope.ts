// The module that pages import: the API, and the <kv-scope> element.
export { ERRORS } from './api/error-table';
export { type ErrorCode, KvScopeError } from './api/errors';
export { loadModel } from './api/lazy';
export type { Model } from './api/model';
export type { Session } from './api/session';
export type * from './api/types';
export { KvScopeElement } from './element/kv-scope';
