import type {
  Args,
  ErrorReply,
  FileUrls,
  OpName,
  Reply,
  Request,
  Result,
} from '../worker/protocol';
import { abortedError, KvScopeError } from './errors';
import type { BuildChoice } from './features';
import { startWorker, workerFailure } from './start-worker';
import type { Progress } from './types';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  transfer?: Transferable[];
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: KvScopeError): void;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** A worker with one engine in it, and the calls that wait for it. */
export class EngineHost {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 1;
  private dead: ErrorReply | undefined;
  private heard = false;
  private running: BuildChoice;

  constructor(
    choice: BuildChoice,
    url: URL,
    private readonly onEnd: () => void,
    files?: FileUrls,
  ) {
    this.running = choice;
    this.worker = startWorker(url);
    this.worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => this.receive(data));
    this.worker.addEventListener('error', (event) => this.onWorkerError(event, url));
    void this.boot(choice, files);
  }

  /** What really runs. Final once any other call has been answered. */
  get choice(): BuildChoice {
    return this.running;
  }

  /**
   * Resolves or rejects when the worker has answered, also after an abort: only then is it sure
   * that nothing runs any more.
   */
  call<O extends OpName>(op: O, args: Args<O>, options: CallOptions = {}): Promise<Result<O>> {
    const { signal, onProgress, transfer = [] } = options;
    if (this.dead) return Promise.reject(toError(this.dead));
    if (signal?.aborted) return Promise.reject(abortedError(op));
    const id = this.nextId++;
    const onAbort = () => this.worker.postMessage({ abort: id } satisfies Request);
    return new Promise<unknown>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, onProgress });
      this.worker.postMessage({ id, op, args }, transfer);
      signal?.addEventListener('abort', onAbort);
    }).finally(() => signal?.removeEventListener('abort', onAbort)) as Promise<Result<O>>;
  }

  /** Ends the worker, which frees all its memory. Calls that wait are rejected with the reason. */
  end(reason: ErrorReply): void {
    if (this.dead) return;
    this.dead = reason;
    this.worker.terminate();
    for (const call of this.waiting.values()) call.reject(toError(reason));
    this.waiting.clear();
    this.onEnd();
  }

  private async boot({ build, threads }: BuildChoice, files?: FileUrls): Promise<void> {
    try {
      const real = await this.call('boot', { build, threads, ...(files && { files }) });
      if (real.threads < threads) this.running = { ...real, isolation: 'threads-failed' };
    } catch (error) {
      this.end(error as KvScopeError);
    }
  }

  private receive(reply: Reply): void {
    this.heard = true;
    if ('fatal' in reply) this.end(reply.fatal);
    else if ('progress' in reply) this.waiting.get(reply.id)?.onProgress?.(reply.progress);
    else this.settle(reply);
  }

  private settle(reply: { id: number; result: unknown } | { id: number; error: ErrorReply }): void {
    const call = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if ('error' in reply) call?.reject(toError(reply.error));
    else call?.resolve(reply.result);
  }

  private onWorkerError(event: ErrorEvent, url: URL): void {
    const { message = '' } = event;
    const detail = message ? ` (${message})` : '';
    this.end(
      this.heard
        ? { code: 'engine-crashed', message: `The engine's worker stopped${detail}. Load again.` }
        : { code: 'worker-failed', message: workerFailure(url, message) },
    );
  }
}

function toError({ code, message }: ErrorReply): KvScopeError {
  return new KvScopeError(code, message);
}
