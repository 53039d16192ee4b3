import type { Args, Handle, OpName, Result } from '../worker/protocol';
import type { CallOptions, EngineHost } from './engine-host';
import { KvScopeError } from './errors';
import { Generation } from './generation';
import type { Ledger } from './ledger';
import { Pace } from './pace';
import type {
  GenerateOptions,
  Inspection,
  InspectQuery,
  Kv,
  PrefillOptions,
  PrefillResult,
  Stats,
  Step,
} from './types';

/**
 * One sequence of tokens and its KV cache. Calls are carried out in the order in which they are
 * made. While a generation runs, a call that looks (inspect, logits, tokens, save) is answered
 * between two steps; a call that changes the sequence waits for the generation to end, or ends it
 * when the loop is not waiting for a step.
 */
export class Session {
  private tail: Promise<unknown> = Promise.resolve();
  private generation: Generation | undefined;
  private readonly pace = new Pace();
  private closing: Promise<void> | undefined;
  private readonly closeSignal = new AbortController();

  /** @internal Use model.createSession. */
  constructor(
    private readonly host: EngineHost,
    private readonly handle: Handle,
    private readonly ledger: Ledger,
    private readonly onClose: () => void,
  ) {}

  /** The cache as of the last step or call; a copy. */
  get kv(): Kv {
    return this.ledger.kv;
  }

  /** What input and output have cost so far; a copy. */
  get stats(): Stats {
    return this.ledger.stats;
  }

  /**
   * Makes the session hold exactly this prompt: the beginning that is cached already is reused,
   * only the rest is computed. In text, special tokens are read as such (chat templates need it).
   */
  prefill(
    prompt: string | ArrayLike<number>,
    options: PrefillOptions = {},
  ): Promise<PrefillResult> {
    return this.runPrefill(prompt, false, options);
  }

  /** The same, continuing after what is there. */
  append(input: string | ArrayLike<number>, options: PrefillOptions = {}): Promise<PrefillResult> {
    return this.runPrefill(input, true, options);
  }

  /** Decode steps, one token each. Leaving the loop stops the engine; the session stays usable. */
  async *generate(options: GenerateOptions = {}): AsyncGenerator<Step, void, undefined> {
    const generation = await this.openGeneration(options);
    try {
      for (;;) {
        generation.waiting = true;
        const step = await this.orClosed(generation.take());
        generation.waiting = false;
        if (!step) return;
        yield step;
        if (step.finish !== null) return;
      }
    } finally {
      if (this.generation === generation) this.generation = undefined;
      if (!this.closing) await generation.end();
    }
  }

  /** Vectors and weights of one layer and head. q, scores and weights exist for the newest position. */
  inspect({ layer, head, position }: InspectQuery): Promise<Inspection> {
    return this.look('inspect', { session: this.handle, layer, head, position });
  }

  /** Raw logits after the last position, [vocabSize]. */
  logits(): Promise<Float32Array> {
    return this.look('logits', { session: this.handle });
  }

  /** Ids of the whole sequence; the newest one may not be in the cache yet. */
  tokens(): Promise<Int32Array> {
    return this.look('tokens', { session: this.handle });
  }

  /**
   * log p of each token but the first, given those before it: exp(-mean) is the perplexity.
   * The session then holds this text, as after prefill.
   */
  async score(input: string | ArrayLike<number>): Promise<Float32Array> {
    const data = typeof input === 'string' ? input : Int32Array.from(input);
    return this.change(async () => {
      const args = { session: this.handle, input: data };
      const { logProbabilities, state } = await this.host.call('score', args);
      this.ledger.set(state);
      return logProbabilities;
    });
  }

  /** Keeps the first n tokens. */
  async truncate(n: number): Promise<void> {
    await this.change(async () => {
      this.ledger.set(await this.host.call('truncate', { session: this.handle, tokens: n }));
    });
  }

  save(): Promise<Uint8Array> {
    return this.look('save', { session: this.handle });
  }

  /** Takes bytes that save() gave, from a session of the same model and cache type. */
  async restore(bytes: Uint8Array): Promise<void> {
    await this.change(async () => {
      this.ledger.set(await this.host.call('restore', { session: this.handle, bytes }));
    });
  }

  /** Frees the cache. Calls that still wait are rejected with the code 'closed'. */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async runPrefill(
    input: string | ArrayLike<number>,
    append: boolean,
    { signal, onProgress }: PrefillOptions,
  ): Promise<PrefillResult> {
    const data = typeof input === 'string' ? input : Int32Array.from(input);
    return this.change(async () => {
      const abort = new AbortController();
      const unlink = [signal, this.closeSignal.signal].map((from) => link(from, abort));
      try {
        const args = { session: this.handle, input: data, append };
        const call = { signal: abort.signal, onProgress };
        return this.ledger.prefill(await this.host.call('prefill', args, call));
      } catch (error) {
        await this.refresh();
        throw error;
      } finally {
        for (const remove of unlink) remove();
      }
    });
  }

  /** After a failure: what was computed before it is in the cache. */
  private async refresh(): Promise<void> {
    const state = await this.host.call('state', { session: this.handle }).catch(() => undefined);
    if (state) this.ledger.set(state);
  }

  private openGeneration(options: GenerateOptions): Promise<Generation> {
    return this.change(async () => {
      this.generation = new Generation(this.host, this.handle, options, this.ledger, this.pace);
      return this.generation;
    });
  }

  /** A call that leaves the sequence as it is. */
  private look<O extends OpName>(op: O, args: Args<O>, options?: CallOptions): Promise<Result<O>> {
    const call = () => this.host.call(op, args, options);
    const { generation } = this;
    if (!generation) return this.enqueue(call);
    // Not queued: a change may be waiting there for the very loop that asks this. Both messages go
    // out at once, so that no step can come in between.
    const settledAndAsked = Promise.all([generation.settle(), call()]);
    return this.orClosed(settledAndAsked.then(([, answer]) => answer));
  }

  private change<T>(run: () => Promise<T>): Promise<T> {
    return this.enqueue(async () => {
      const { generation } = this;
      if (generation?.waiting) await generation.finished;
      else await generation?.end();
      if (this.generation === generation) this.generation = undefined;
      if (this.closing) throw closedError();
      return run();
    });
  }

  private enqueue<T>(run: () => Promise<T>): Promise<T> {
    const result = this.orClosed(this.tail.then(() => (this.closing ? undefined! : run())));
    this.tail = result.catch(() => {});
    return result;
  }

  private async orClosed<T>(call: Promise<T>): Promise<T> {
    if (this.closing) {
      call.catch(() => {});
      throw closedError();
    }
    try {
      const result = await call;
      if (!this.closing) return result;
    } catch (error) {
      if (!this.closing) throw error;
    }
    throw closedError();
  }

  private async shutDown(): Promise<void> {
    this.onClose();
    this.closeSignal.abort();
    this.generation?.finish();
    // A pass that runs is let end: the worker frees the session after it.
    await this.tail;
    await this.host.call('closeSession', { session: this.handle }).catch(() => {});
  }
}

function closedError(): KvScopeError {
  return new KvScopeError('closed', 'This session is closed. Create another one.');
}

function link(from: AbortSignal | undefined, to: AbortController): () => void {
  const abort = () => to.abort();
  if (from?.aborted) abort();
  from?.addEventListener('abort', abort);
  return () => from?.removeEventListener('abort', abort);
}
