import { KvScopeError } from './errors';
import type { loadModel as load } from './load-model';

/**
 * loadModel of api/load-model, whose code is fetched with the first model: a page that has kvscope on
 * it but has not come to use it waits for little.
 */
export const loadModel: typeof load = async (source, options) => {
  const api = await import('./load-model').catch(({ message }: Error) => {
    const advice = 'Check the connection. Is the whole dist/ folder there?';
    throw new KvScopeError(
      'network',
      `The API's code could not be fetched (${message}). ${advice}`,
    );
  });
  return api.loadModel(source, options);
};
