import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { ERRORS, KvScopeError } from '../api/errors';
import type { Session } from '../api/index';
import type { Progress } from '../api/types';
import { newestKv, outputCost } from '../record/figures';
import { addStep, newRun, type RunRecord } from '../record/record';
import { Format, type Lang } from '../text/format';
import { strings } from '../text/strings';
import { tokenText } from '../views/token-text';
import { leaseModel, type ModelLease } from './shared-model';
import { styles } from './styles';

export type ElementState = 'idle' | 'loading' | 'ready' | 'prefill' | 'decode' | 'done' | 'error';

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
 * @csspart tokens - the list of tokens
 * @csspart button - the run button
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
  private session: Session | undefined;
  private abort = new AbortController();
  private runRecord: RunRecord | null = null;
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
    this.abort = new AbortController();
    this.setState('idle');
    if (this.loading === 'eager') void this.load();
    else this.loadWhenSeen();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.observer?.disconnect();
    this.abort.abort();
    void this.session?.close();
    this.session = undefined;
    this.lease?.release();
    this.lease = undefined;
  }

  /** Runs the prompt from the start. Resolves when it has ended; failures come as kv-error. */
  async run(): Promise<void> {
    if (this.state === 'prefill' || this.state === 'decode') return;
    await this.load();
    if (this.session) await this.guarded(() => this.runOn(this.session!));
  }

  private loadWhenSeen(): void {
    this.observer?.disconnect();
    this.observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.observer?.disconnect();
      void this.load();
    });
    this.observer.observe(this);
  }

  private async load(): Promise<void> {
    if (this.lease) return void (await this.lease.model.catch(() => {}));
    this.setState('loading');
    const { signal } = this.abort;
    await this.guarded(async () => {
      const onProgress = (progress: Progress) => this.emit('kv-progress', progress);
      const options = { threads: this.threads ?? ('auto' as const), onProgress };
      const lease = leaseModel(this.src, options);
      this.lease = lease;
      const model = await lease.model;
      const session = await model.createSession();
      if (signal.aborted) return void session.close();
      this.session = session;
      this.setState('ready');
      this.emit('kv-ready', model.info);
      if (this.autoplay) await this.runOn(session);
    });
  }

  private async runOn(session: Session): Promise<void> {
    const model = await this.lease!.model;
    const { signal } = this.abort;
    this.setState('prefill');
    await session.truncate(0);
    const tokens = await model.tokenize(this.prompt, { special: true });
    const { maxTokens, temperature, seed } = this;
    const settings = { maxTokens, temperature, seed, minP: 0, ignoreEos: false };
    const cache = { contextLength: session.kv.capacity, kvType: session.kv.type, kvCache: true };
    const run = newRun(model.info, cache, settings, { text: this.prompt, chat: false, tokens });
    this.runRecord = run;
    run.prefill = await session.prefill(
      tokens.map((token) => token.id),
      { signal },
    );
    this.emit('kv-prefill', run.prefill);
    this.setState('decode');
    for await (const step of session.generate({ ...settings, signal })) {
      addStep(run, step);
      this.emit('kv-token', step);
      this.requestUpdate();
    }
    this.setState('done');
    this.emit('kv-done', run);
  }

  private async guarded(action: () => Promise<void>): Promise<void> {
    const { signal } = this.abort;
    try {
      await action();
    } catch (error) {
      if (signal.aborted) return; // removed from the page meanwhile
      if (!(error instanceof KvScopeError)) throw error;
      if (!this.session) this.lease = undefined;
      this.error = error;
      this.setState('error');
      this.emit('kv-error', error);
    }
  }

  private setState(state: ElementState): void {
    this.dataset.state = state;
    if (state !== 'error') this.error = null;
    this.requestUpdate();
  }

  private emit(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  protected override render(): TemplateResult {
    const lang = languageOf(this);
    const t = strings[lang];
    const busy = ['loading', 'prefill', 'decode'].includes(this.state);
    return html`
      <ol class="chips" part="tokens" aria-label=${t.tokens} aria-busy=${busy}>
        ${this.chips()}
      </ol>
      <p class="line">
        <button part="button" type="button" ?disabled=${busy} @click=${() => void this.run()}>
          ${t.run}
        </button>
        ${this.error ? html`<span role="alert">${ERRORS[this.error.code][lang]}</span>` : nothing}
        ${this.figures(lang)}
      </p>
    `;
  }

  private chips(): TemplateResult[] {
    const run = this.runRecord;
    if (!run) return [html`<li class="chip prompt">${this.prompt}</li>`];
    const chip = (token: Parameters<typeof tokenText>[0], classes: string, label?: string) => {
      const { text, wordStart } = tokenText(token);
      return html`<li class="chip ${classes} ${wordStart ? 'word-start' : ''}">${label ?? text}</li>`;
    };
    const { end } = strings[languageOf(this)];
    return [
      ...run.prompt.tokens.map((token) => chip(token, 'prompt')),
      ...run.steps.map((step) =>
        step.finish === 'stop' && step.text === ''
          ? chip({ ...step, special: true }, 'output', end)
          : chip({ ...step, special: false }, 'output'),
      ),
    ];
  }

  private figures(lang: Lang): TemplateResult | typeof nothing {
    const run = this.runRecord;
    const kv = run && newestKv(run);
    if (!kv) return nothing;
    const format = new Format(lang);
    const rate = outputCost(run).tokensPerSecond;
    return html`
      <span>${strings[lang].cache} ${format.exactBytes(kv.bytes)}</span>
      ${rate ? html`<span>${strings[lang].rate(format.short(rate))}</span>` : nothing}
    `;
  }
}

function languageOf(element: Element): Lang {
  const lang = element.closest('[lang]')?.getAttribute('lang') ?? document.documentElement.lang;
  return lang.startsWith('ko') ? 'ko' : 'en';
}

if (!customElements.get('kv-scope')) customElements.define('kv-scope', KvScopeElement);

declare global {
  interface HTMLElementTagNameMap {
    'kv-scope': KvScopeElement;
  }
}
