import { LitElement, type TemplateResult } from 'lit';
import { KvScopeError } from '../api/errors';
import type { Model, Session } from '../api/index';
import type { Progress } from '../api/types';
import { addStep, newRun, type RunRecord } from '../record/record';
import { draw } from './draw';
import { savesData } from './environment';
import { leaseModel, type ModelLease } from './shared-model';
import { styles } from './styles';
import { takeTurn } from './turns';
import { languageOf } from './words';

export type ElementState = 'idle' | 'loading' | 'ready' | 'prefill' | 'decode' | 'done' | 'error';

interface Engine {
  model: Model;
  session: Session;
}

/**
 * A model at work in an article. Draws the tokens and the size of the KV cache of a real run.
 *
 * @attr {string} src - URL of a GGUF model; the built-in one when absent
 * @attr {string} prompt - text to continue
 * @attr {number} max-tokens - output tokens at the most, 64 when absent
 * @attr {number} temperature - 0 when absent: always the most probable token
 * @attr {number} seed - of the sampling, 1 when absent
 * @attr {boolean} autoplay - run as soon as the model is there
 * @attr {lazy|eager} loading - lazy, the default: fetch the model when the element comes into view
 * @attr {ko|en} lang - language of the few words it shows
 * @attr {number} threads - threads to ask for
 * @fires kv-progress - detail: { phase, loaded, total }
 * @fires kv-ready - detail: ModelInfo
 * @fires kv-prefill - detail: PrefillResult
 * @fires kv-token - detail: Step
 * @fires kv-done - detail: RunRecord
 * @fires kv-error - detail: KvScopeError
 * @slot poster - shown until the first run, and where there is no JavaScript
 * @slot fallback - shown in the view's place after a failure, and where there is no JavaScript
 * @csspart view - the box whose height is kept from the start
 * @csspart tokens - the list of tokens
 * @csspart button - the button that runs and stops
 * @cssproperty --kv-height - height of the view
 */
export class KvScopeElement extends LitElement {
  static override styles = styles;
  static override properties = {
    src: { type: String, reflect: true },
    prompt: { type: String, reflect: true },
    view: { type: String, reflect: true },
    maxTokens: { type: Number, attribute: 'max-tokens', reflect: true },
    temperature: { type: Number, reflect: true },
    seed: { type: Number, reflect: true },
    autoplay: { type: Boolean, reflect: true },
    loading: { type: String, reflect: true },
    threads: { type: Number, reflect: true },
    lang: { type: String, reflect: true },
  };

  declare src: string | null;
  declare prompt: string;
  declare view: string | null;
  declare maxTokens: number;
  declare temperature: number;
  declare seed: number;
  declare autoplay: boolean;
  declare loading: 'lazy' | 'eager' | null;
  declare threads: number | null;
  declare lang: string;

  private lease: ModelLease | undefined;
  private engine: Engine | undefined;
  private opening: Promise<Engine | undefined> | undefined;
  private running: Promise<void> | undefined;
  /** Fires when the element leaves the document. */
  private life: AbortController | undefined;
  private runAbort: AbortController | undefined;
  private runRecord: RunRecord | null = null;
  private progress: Progress | null = null;
  private error: KvScopeError | null = null;
  private observer: IntersectionObserver | undefined;

  constructor() {
    super();
    this.prompt = '';
    this.maxTokens = 64;
    this.temperature = 0;
    this.seed = 1;
    this.autoplay = false;
  }

  get state(): ElementState {
    return (this.dataset.state as ElementState | undefined) ?? 'idle';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (!this.life) this.start(); // otherwise it was only moved
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // A move takes it out and puts it in again at once: whatever is still out after that is gone.
    queueMicrotask(() => {
      if (!this.isConnected) this.shutDown();
    });
  }

  /** Runs the prompt from the start. Resolves when it has ended; failures come as kv-error. */
  run(): Promise<void> {
    if (!this.life) return Promise.resolve();
    this.running ??= this.runInTurn().finally(() => {
      this.running = this.runAbort = undefined;
      this.requestUpdate();
    });
    this.requestUpdate();
    return this.running;
  }

  /** Ends the run; what there is of it stays. */
  stop(): void {
    this.runAbort?.abort();
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (!this.hasUpdated || !this.life) return;
    if (changed.has('src') || changed.has('threads')) {
      this.shutDown();
      this.start();
    } else if (changed.has('prompt') && !this.running) this.runRecord = null;
  }

  protected override updated(): void {
    const view = this.renderRoot.querySelector('.view')!;
    if (this.running) view.scrollTop = view.scrollHeight;
  }

  protected override render(): TemplateResult {
    const { state, prompt, runRecord, progress, error, running } = this;
    const waits = running !== undefined && ['ready', 'done', 'error'].includes(state);
    return draw(languageOf(this), {
      ...{ state, prompt, progress, error, waits, run: runRecord },
      running: running !== undefined,
      savesData: state === 'idle' && savesData(),
      press: () => (running ? this.stop() : void this.run()),
    });
  }

  private start(): void {
    this.life = new AbortController();
    this.setState('idle');
    if (savesData()) return; // until it is asked to run
    if (this.loading === 'eager') void this.load();
    else this.loadWhenSeen();
  }

  private shutDown(): void {
    this.observer?.disconnect();
    this.life?.abort();
    this.stop();
    void this.engine?.session.close();
    this.lease?.release();
    this.life = this.engine = this.lease = this.opening = undefined;
    this.runRecord = null;
    this.setState('idle');
  }

  private loadWhenSeen(): void {
    this.observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.observer?.disconnect();
      void this.load();
    });
    this.observer.observe(this);
  }

  /** Resolves to undefined when it failed, or the element has gone. */
  private load(): Promise<Engine | undefined> {
    const { signal } = this.life!;
    this.opening ??= this.open(signal).catch((error) => {
      if (signal.aborted) return undefined;
      this.lease?.release();
      this.lease = this.opening = undefined;
      this.fail(error);
      return undefined;
    });
    return this.opening;
  }

  private async open(signal: AbortSignal): Promise<Engine> {
    this.setState('loading');
    const { src = null, threads } = this;
    const onProgress = (progress: Progress) => {
      if (signal.aborted) return;
      this.progress = progress;
      this.emit('kv-progress', progress);
      this.requestUpdate();
    };
    this.lease = leaseModel({ src, threads: threads ?? 'auto' }, { onProgress });
    const model = await this.lease.model;
    signal.throwIfAborted();
    const session = await model.createSession();
    if (signal.aborted) void session.close();
    signal.throwIfAborted();
    this.engine = { model, session };
    this.setState('ready');
    this.emit('kv-ready', model.info);
    if (this.autoplay) void this.run();
    return this.engine;
  }

  private async runInTurn(): Promise<void> {
    this.runAbort = new AbortController();
    const { signal } = this.runAbort;
    const engine = await this.load();
    if (!engine) return;
    try {
      const endTurn = await takeTurn(signal);
      await this.runOn(engine, signal).finally(endTurn);
    } catch (error) {
      if (this.engine !== engine) return; // the element has gone
      if (signal.aborted) this.setState('ready');
      else this.fail(error);
    }
  }

  private async runOn({ model, session }: Engine, signal: AbortSignal): Promise<void> {
    this.setState('prefill');
    await session.truncate(0);
    const tokens = await model.tokenize(this.prompt, { special: true });
    const { maxTokens, temperature, seed } = this;
    const settings = { maxTokens, temperature, seed, minP: 0, ignoreEos: false };
    const cache = { contextLength: session.kv.capacity, kvType: session.kv.type, kvCache: true };
    const run = newRun(model.info, cache, settings, { text: this.prompt, chat: false, tokens });
    this.runRecord = run;
    const ids = tokens.map((token) => token.id);
    run.prefill = await session.prefill(ids, { signal });
    this.emit('kv-prefill', run.prefill);
    this.setState('decode');
    for await (const step of session.generate({ ...settings, signal })) {
      addStep(run, step);
      this.emit('kv-token', step);
      this.requestUpdate();
    }
    if (this.engine?.session !== session) return; // the element has gone
    this.setState('done');
    this.emit('kv-done', run);
  }

  private fail(error: unknown): void {
    if (!(error instanceof KvScopeError)) throw error;
    // The engine has gone, and every model with it: the next run loads again.
    if (error.code === 'engine-crashed' || error.code === 'out-of-memory') {
      this.lease?.discard();
      this.engine = this.lease = this.opening = undefined;
    }
    this.setState('error', error);
    this.emit('kv-error', error);
  }

  private setState(state: ElementState, error: KvScopeError | null = null): void {
    this.dataset.state = state;
    this.error = error;
    this.progress = null;
    this.requestUpdate();
  }

  private emit(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

// The script may be on a page twice, in two versions even: the first one stays.
if (!customElements.get('kv-scope')) customElements.define('kv-scope', KvScopeElement);

declare global {
  interface HTMLElementTagNameMap {
    'kv-scope': KvScopeElement;
  }
}
