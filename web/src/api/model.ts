import type { Args, Handle, OpName, Result } from '../worker/protocol';
import type { CallOptions } from './engine-host';
import { KvScopeError } from './errors';
import type { HostLease } from './hosts';
import { Ledger } from './ledger';
import { Session } from './session';
import type {
  CacheUse,
  ChatMessage,
  ChatTemplateOptions,
  ModelInfo,
  SessionOptions,
  Token,
  TokenizeOptions,
} from './types';

/** Tokens that fit a session unless the caller says otherwise. */
const DEFAULT_CONTEXT_TOKENS = 2048;

/** A loaded model. Any number of sessions can run on it. */
export class Model {
  private readonly sessions = new Set<Session>();
  private closed = false;
  /** Resolves to `info.cache` once that is sure: a download can be used before the disk has it. */
  readonly cacheUse: Promise<CacheUse>;

  /** @internal Use loadModel. */
  constructor(
    private readonly lease: HostLease,
    private readonly handle: Handle,
    readonly info: Readonly<ModelInfo>,
  ) {
    this.cacheUse = this.watchKeeping(info);
  }

  /** Text as the model reads it. The text is brought to NFC first. */
  tokenize(
    text: string,
    { special = false, bos = 'auto' }: TokenizeOptions = {},
  ): Promise<Token[]> {
    return this.call('tokenize', { model: this.handle, text: String(text), special, bos });
  }

  detokenize(ids: ArrayLike<number>): Promise<string> {
    return this.call('detokenize', { model: this.handle, ids: Int32Array.from(ids) });
  }

  /** The conversation as one text, by the template in the model's file; for `session.prefill`. */
  applyChatTemplate(
    messages: ChatMessage[],
    { addGenerationPrompt = true }: ChatTemplateOptions = {},
  ): Promise<string> {
    return this.call('applyChatTemplate', { model: this.handle, messages, addGenerationPrompt });
  }

  async createSession(options: SessionOptions = {}): Promise<Session> {
    const { kvType = 'f16', kvCache = true } = options;
    const contextLength =
      options.contextLength ?? Math.min(DEFAULT_CONTEXT_TOKENS, this.info.contextLength);
    checkContextLength(contextLength, this.info.contextLength);
    const {
      session: handle,
      layout,
      state,
    } = await this.call('createSession', {
      model: this.handle,
      contextLength,
      kvType,
      kvCache,
    });
    if (this.closed) throw closedError('createSession');
    const onClose = () => this.sessions.delete(session);
    const session = new Session(this.lease.host, handle, new Ledger(layout, state), onClose);
    this.sessions.add(session);
    return session;
  }

  /**
   * Closes its sessions too and frees the memory. Calls that still wait are rejected: 'closed'. What is
   * being kept for the next visit is written down first.
   */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    const sessions = [...this.sessions].map((session) => session.close());
    void Promise.allSettled(sessions).then(async () => {
      await this.lease.host.call('closeModel', { model: this.handle }).catch(() => {});
      await this.cacheUse;
      this.lease.release();
    });
  }

  private async watchKeeping(info: ModelInfo): Promise<CacheUse> {
    if (info.cache !== 'storing') return info.cache;
    const ended = () => 'refused' as const; // the worker has
    info.cache = await this.lease.host.call('cacheUse', { model: this.handle }).catch(ended);
    return info.cache;
  }

  private call<O extends OpName>(op: O, args: Args<O>, options?: CallOptions): Promise<Result<O>> {
    if (this.closed) {
      return Promise.reject(closedError(op));
    }
    return this.lease.host.call(op, args, options);
  }
}

function checkContextLength(tokens: number, trained: number): void {
  if (Number.isInteger(tokens) && tokens >= 1 && tokens <= trained) return;
  throw new KvScopeError(
    'bad-argument',
    `contextLength is ${tokens}; this model was made for 1 to ${trained} tokens.`,
  );
}

function closedError(op: string): KvScopeError {
  return new KvScopeError('closed', `This model is closed; ${op} needs an open one.`);
}
