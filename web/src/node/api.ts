// The API under Node: the same engine and the same calls, in a worker thread. Without the element.
import { pathToFileURL } from 'node:url';
import { loadModel as load } from '../api/load-model';
import { useWorkers } from '../api/start-worker';
import type { LoadOptions, ModelSource } from '../api/types';
import { startThread } from './thread';

useWorkers(startThread, new URL(/* @vite-ignore */ '../kvscope-worker.js', import.meta.url));

export { type ErrorCode, KvScopeError } from '../api/errors';
export { errorTable } from '../api/index';
export { Model } from '../api/model';
export { Session } from '../api/session';
export type * from '../api/types';

/** loadModel of the browser; a string that is no URL is the path of a file. */
export function loadModel(source?: ModelSource, options?: LoadOptions) {
  const isPath = typeof source === 'string' && !URL.canParse(source);
  return load(isPath ? pathToFileURL(source) : source, options);
}
