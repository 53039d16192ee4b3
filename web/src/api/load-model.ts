import type { LoadedModel } from '../worker/protocol';
import type { EngineHost } from './engine-host';
import { abortedError, KvScopeError } from './errors';
import type { BuildChoice } from './features';
import { leaseHost } from './hosts';
import { Model } from './model';
import { pageUrl } from './page-url';
import { filesFor, workerUrl } from './start-worker';
import type { LoadOptions, ModelInfo, ModelSource } from './types';

/** The model that comes with kvscope, beside its worker, if no bundler moved it: a copied folder is used as a whole. */
const defaultModelUrl = ({ workerSrc }: LoadOptions) =>
  filesFor(workerSrc)?.model ?? new URL('./models/kvscope-tiny.gguf', workerUrl(workerSrc));

/** Size of the slices in which bytes that the page holds go to the worker. */
const SLICE_BYTES = 1 << 20;

/**
 * Loads a GGUF model. Without a source: the small Korean and English model that comes with kvscope.
 * Rejects with a KvScopeError; with the code 'aborted' when `signal` fires.
 */
export async function loadModel(source?: ModelSource, options: LoadOptions = {}): Promise<Model> {
  const { signal } = options;
  if (signal?.aborted) throw abortedError('Loading');
  const precision = checkPrecision(options.precision ?? 'auto');
  const lease = await leaseHost(options, source === undefined);
  // Where nobody else uses the worker, giving up ends it at once, whatever it waits for.
  const giveUp = () => lease.release();
  signal?.addEventListener('abort', giveUp);
  try {
    const loaded = await load(lease.host, source ?? defaultModelUrl(options), precision, options);
    const info = describe(loaded.info, lease.host.choice, precision);
    return new Model(lease, loaded.model, info);
  } catch (error) {
    lease.release();
    throw signal?.aborted ? abortedError('Loading') : error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

/** The threads are those that passes of this model use, which may be fewer than there are. */
function describe(
  loaded: LoadedModel['info'],
  { build, isolation }: BuildChoice,
  precision: ModelInfo['precision'],
): ModelInfo {
  const whyOne = loaded.threads === 1 ? 'small-model' : null;
  return { ...loaded, build, precision, isolation: isolation ?? whyOne };
}

function load(
  host: EngineHost,
  source: ModelSource,
  precision: 'fast' | 'high',
  options: LoadOptions,
): Promise<LoadedModel> {
  if (source instanceof Blob) return host.call('loadBlob', { blob: source, precision }, options);
  if (source instanceof ArrayBuffer) return loadBytes(host, source, precision, options);
  const { cache = true } = options;
  const { href: url } = pageUrl(
    source,
    (given) => `The source ${given} is not a URL, File, Blob or ArrayBuffer.`,
  );
  return host.call('loadUrl', { url, precision, cache }, options);
}

/** The caller keeps the buffer; the engine gets slices of it, so no third copy ever exists. */
async function loadBytes(
  host: EngineHost,
  buffer: ArrayBuffer,
  precision: 'fast' | 'high',
  { signal, onProgress }: LoadOptions,
): Promise<LoadedModel> {
  const { loader } = await host.call('loadBegin', { precision }, { signal });
  try {
    for (let at = 0; at < buffer.byteLength; at += SLICE_BYTES) {
      const chunk = new Uint8Array(buffer.slice(at, at + SLICE_BYTES));
      const call = { signal, transfer: [chunk.buffer] };
      const { loaded, total } = await host.call('loadPush', { loader, chunk }, call);
      onProgress?.({ phase: 'read', loaded, total: total || buffer.byteLength });
    }
    return await host.call('loadFinish', { loader }, { signal });
  } finally {
    // Also after an error; when the worker has died there is nothing left to free.
    host.call('loadCancel', { loader }).catch(() => {});
  }
}

function checkPrecision(precision: string): 'fast' | 'high' {
  if (precision === 'auto') return 'fast';
  if (precision === 'fast' || precision === 'high') return precision;
  throw new KvScopeError(
    'bad-argument',
    `precision is "${precision}"; it can be 'auto', 'fast' or 'high'.`,
  );
}
