// The module that pages import: the API, and the <kv-scope> element.
export * from './api/index';
export { KvScopeElement } from './element/kv-scope';
