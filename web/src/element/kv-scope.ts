import { LitElement, type TemplateResult } from 'lit';
import { KvScopeError } from '../api/errors';
import type { Model, Session } from '../api/index';
import type { Progress } from '../api/types';
import type { RunRecord } from '../record/record';
import { draw } from './draw';
import { savesData } from './environment';
import { beginRun, performRun } from './run';
import { plainly, type Say, withAnswers } from './say';
import { leaseModel, type ModelLease } from './shared-model';
import { styles } from './styles';
import { takeTurn } from './turns';
import { type MakeViewer, type Viewer, viewModules } from './views/viewer';
import { languageOf } from './words';

export type ElementState = 'idle' | 'loading' | 'ready' | 'prefill' | 'decode' | 'done' | 'error';

interface Engine {
  model: Model;
  session: Session;
  /** undefined: the tokens, which need no more than the element itself. */
  viewer: Viewer | undefined;
}

/**
 * A model at work in an article. Draws the tokens and the size of the KV cache of a real run.
 *
 * @attr {string} src - URL of a GGUF model; the built-in one when absent
 * @attr {string} prompt - text to continue
 * @attr {tokens|full|cache|attention|projections|race|cost} view - what it draws; tokens when absent
 * @attr {number} max-tokens - output tokens at the most, 64 when absent
 * @attr {number} temperature - 0 when absent: always the most probable token
 * @attr {number} seed - of the sampling, 1 when absent
 * @attr {boolean} autoplay - run as soon as the model is there
 * @attr {lazy|eager} loading - lazy, the default: fetch the model when the element comes into view
 * @attr {ko|en} lang - language of the few words it shows
 * @attr {number} threads - threads to ask for
 * @attr {string} worker-src - kvscope-worker.js on the page's own origin, when the script is not
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
 * @csspart caption - the line that says what the view shows
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
    workerSrc: { type: String, attribute: 'worker-src', reflect: true },
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
  declare workerSrc: string | null;
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
  private say: Say = plainly;
  /** Goes up with every drawing: a record grows in place. */
  private revision = 0;

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
    if (['src', 'threads', 'workerSrc', 'view'].some((name) => changed.has(name))) {
      this.shutDown();
      this.start();
    } else if (changed.has('prompt') && !this.running) this.runRecord = null;
  }

  protected override updated(): void {
    if (!this.running || this.engine?.viewer) return; // only a list of tokens grows at its end
    const view = this.renderRoot.querySelector('.view')!;
    view.scrollTop = view.scrollHeight;
  }

  protected override render(): TemplateResult {
    const { state, prompt, view, runRecord, progress, error, running } = this;
    const lang = languageOf(this);
    const scene = runRecord && { run: runRecord, lang, revision: ++this.revision };
    const waits = running !== undefined && ['ready', 'done', 'error'].includes(state);
    const busy = state === 'prefill' || state === 'decode';
    return draw(lang, {
      ...{ state, prompt, progress, error, waits, run: runRecord, view: view ?? 'tokens' },
      drawing: scene && this.engine?.viewer?.render({ ...scene, busy }),
      running: running !== undefined,
      savesData: state === 'idle' && savesData(),
      say: this.say,
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
    this.engine?.viewer?.close();
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
    const { src = null, threads, workerSrc } = this;
    const onProgress = (progress: Progress) => {
      if (signal.aborted) return;
      this.progress = progress;
      this.emit('kv-progress', progress);
      this.requestUpdate();
    };
    const choice = { src, threads: threads ?? ('auto' as const), ...(workerSrc && { workerSrc }) };
    this.lease = leaseModel(choice, { onProgress });
    const [model, makeViewer] = await Promise.all([this.lease.model, this.fetchView()]);
    signal.throwIfAborted();
    const session = await model.createSession();
    if (signal.aborted) void session.close();
    signal.throwIfAborted();
    const viewer = makeViewer?.(model, () => this.requestUpdate());
    this.engine = { model, session, viewer };
    void model.cacheUse.then(() => this.requestUpdate());
    this.setState('ready');
    this.emit('kv-ready', model.info);
    if (this.autoplay) void this.run();
    return this.engine;
  }

  /** The drawing code of the view, fetched while the model is on its way. */
  private async fetchView(): Promise<MakeViewer | undefined> {
    const { view } = this;
    const fetchModule = view ? viewModules[view] : undefined;
    if (!fetchModule) return undefined; // tokens, or a name that is not known
    try {
      return (await fetchModule()).makeViewer;
    } catch (error) {
      const { message } = error as Error;
      const advice = 'Is the whole dist/ folder there?';
      throw new KvScopeError('network', `The view "${view}" was not found (${message}). ${advice}`);
    }
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

  private async runOn({ model, session, viewer }: Engine, signal: AbortSignal): Promise<void> {
    this.setState('prefill');
    const run = await beginRun(model, session, this);
    this.runRecord = run;
    if (viewer?.perform) {
      this.setState('decode');
      await viewer.perform(run, signal);
    } else {
      await performRun(session, run, signal, {
        onPrefill: (result) => {
          this.emit('kv-prefill', result);
          this.setState('decode');
        },
        onStep: (step) => {
          this.emit('kv-token', step);
          this.requestUpdate();
        },
      });
    }
    if (this.engine?.session !== session) return; // the element has gone
    this.setState('done');
    this.emit('kv-done', run);
    if (this.say === plainly) void this.fetchAnswers(); // the turn does not wait for it
  }

  private async fetchAnswers(): Promise<void> {
    this.say = await withAnswers(this).catch(() => plainly);
    this.requestUpdate();
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
