export { ERRORS, type ErrorCode, KvScopeError } from './errors';
export { loadModel } from './load-model';
export { Model } from './model';
export { Session } from './session';
export type * from './types';
