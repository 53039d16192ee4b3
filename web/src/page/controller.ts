import type { ErrorCode } from '../api/errors';
import { KvScopeError, loadModel, type Model, type ModelSource, type Session } from '../api/index';
import type { ModelInfo, Progress } from '../api/types';
import { outputCost } from '../record/figures';
import { Lens } from '../record/lens';
import { momentAt } from '../record/moment';
import { addStep, newRun, type RunRecord } from '../record/record';
import { Format, type Lang } from '../text/format';
import { strings } from '../text/strings';
import { modelTitle } from './model-title';
import { Pace } from './pace';
import { FIRST_PROMPT } from './samples';
import {
  type PageError,
  type PageSettings,
  type PageState,
  SETTINGS_FOR,
  type Store,
} from './state';

export interface Choice {
  /** undefined: the model that comes with the page. */
  source: ModelSource | undefined;
  label: string;
  kind: PageState['modelKind'];
}

/** A model up to this size is kept until the next one has loaded, so that a bad file costs nothing. */
const KEEP_WHILE_LOADING_BYTES = 32e6;

/** Owns the model, its session, the lens into it, and what runs. Views call it; it changes the store. */
export class Controller {
  model: Model | undefined;
  private session: Session | undefined;
  /** The session, or that it is being made, for the cache settings of `key`. */
  private opening: { key: string; session: Promise<Session> } | undefined;
  private loading: AbortController | undefined;
  private running: AbortController | undefined;
  private lastChoice: Choice | undefined;
  readonly pace = new Pace(() => this.store.state);
  lens = new Lens(null);
  /** Called once, when the next moment of the run is there. */
  onNextFrame: (() => void) | undefined;

  constructor(private readonly store: Store) {}

  async load(choice: Choice): Promise<void> {
    this.loading?.abort();
    this.stop();
    const abort = new AbortController();
    this.loading = abort;
    this.lastChoice = choice;
    if (this.model && this.model.info.bytes > KEEP_WHILE_LOADING_BYTES) this.closeModel();
    this.store.update({ runError: null, chooserOpen: false });
    const onProgress = this.loadProgress(choice, abort.signal);
    onProgress({ phase: 'connect', loaded: 0, total: 0 });
    try {
      const model = await loadModel(choice.source, { signal: abort.signal, onProgress });
      if (abort.signal.aborted) model.close();
      else this.adopt(model, choice);
    } catch (error) {
      if (!abort.signal.aborted) this.loadFailed(choice.label, error);
    }
  }

  cancelLoad(): void {
    this.loading?.abort();
    this.store.update({ load: { status: 'none' } });
  }

  retryLoad(): void {
    if (this.lastChoice) void this.load(this.lastChoice);
  }

  dismissErrors(): void {
    const { load } = this.store.state;
    this.store.update({
      runError: null,
      load: load.status === 'failed' ? { status: 'none' } : load,
    });
  }

  /** keepCache: what the cache holds of this prompt's beginning is not computed again. */
  async run(keepCache = false): Promise<void> {
    const { model } = this;
    const { state } = this.store;
    if (!model || state.phase !== 'idle' || state.prompt.trim() === '') return;
    const abort = new AbortController();
    this.running = abort;
    const before = { prompt: state.prompt, history: state.history, run: state.run };
    this.store.update({ phase: 'prefill', runError: null, replayError: null });
    this.store.update({ frame: null, layersShown: null, look: null, headMap: null });
    this.store.update({ selected: null, race: null });
    this.pace.reset();
    try {
      await this.runOnce(model, abort.signal, keepCache);
    } catch (error) {
      // A message that never got an answer goes back to where it can be edited.
      if (state.chat && !state.run?.steps.length) this.store.update(before);
      const stopped = error instanceof KvScopeError && error.code === 'aborted';
      if (!stopped) this.runFailed(error);
    } finally {
      this.store.update({ phase: 'idle' });
    }
  }

  stop(): void {
    this.running?.abort();
  }

  setMode(chat: boolean): void {
    const settings = { ...this.store.state.settings, ...SETTINGS_FOR[chat ? 'chat' : 'complete'] };
    this.store.update({ chat, settings, history: [], run: null });
  }

  newChat(): void {
    this.stop();
    this.store.update({ history: [], run: null, runError: null });
  }

  setSettings(change: Partial<PageSettings>): void {
    this.store.update({ settings: { ...this.store.state.settings, ...change } });
  }

  setLang(lang: Lang): void {
    this.store.update({ lang });
  }

  /** Looks at every head of the moment's question and takes the one that looks hardest at one token. */
  async proposeHead(frame: number): Promise<void> {
    const { run } = this.store.state;
    if (!run) return;
    const { asker } = momentAt(run, frame);
    const best = await this.lens.findHead(run, asker);
    if (!best) return;
    const { layer, head } = best;
    this.store.update({ layer, head, proposed: { layer, head, by: 'page' } });
  }

  /** How many tokens of a text the session's cache begins with; null when it holds nothing. */
  async cachedBeginning(text: string): Promise<{ tokens: number; of: number } | null> {
    const { model, session } = this;
    if (!model || !session || session.kv.tokens === 0) return null;
    const [tokens, held] = [await model.tokenize(text, { special: true }), await session.tokens()];
    const limit = Math.min(tokens.length, session.kv.tokens);
    let same = 0;
    while (same < limit && tokens[same]!.id === held[same]) same++;
    return { tokens: same, of: tokens.length };
  }

  private async runOnce(model: Model, signal: AbortSignal, keepCache: boolean): Promise<void> {
    const { state } = this.store;
    const { chat, prompt } = state;
    if (chat) {
      const history = [...turnsOf(state), { role: 'user', content: prompt }];
      this.store.update({ history, run: null, prompt: '' });
    }
    const text = chat ? await model.applyChatTemplate(state.history) : prompt;
    const session = await this.sessionFor(model);
    // A continued text starts anew, so that its whole prefill is seen; a chat goes on.
    const startsAnew = !chat && !keepCache && session.kv.tokens > 0;
    if (startsAnew) await session.truncate(0);
    const { kvType, kvCache, ...settings } = state.settings;
    const cache = { contextLength: session.kv.capacity, kvType, kvCache };
    let run: RunRecord | undefined;
    const onProgress = ({ loaded, total }: Progress) => {
      if (run) run.prefilling = { loaded, total };
      this.store.update();
    };
    // Both are asked for at once: the engine need not wait for the page to draw the tokens.
    const tokenized = model.tokenize(text, { special: true });
    const prefilled = session.prefill(text, { signal, onProgress });
    prefilled.catch(() => {}); // awaited once the run is there
    const tokens = await tokenized;
    run = newRun(model.info, cache, settings, { text, chat, tokens });
    this.store.update({ run });
    run.prefill = await prefilled;
    await this.decode(session, run, signal);
  }

  private async decode(session: Session, run: RunRecord, signal: AbortSignal): Promise<void> {
    run.prefilling = null;
    this.store.update({ phase: 'decode', qBytesDiscarded: session.stats.qBytesDiscarded });
    this.frameArrived();
    await this.pace.next(signal);
    for await (const step of session.generate({ ...run.settings, signal })) {
      addStep(run, step);
      this.store.update({ qBytesDiscarded: session.stats.qBytesDiscarded });
      this.frameArrived();
      if (step.finish === null) await this.pace.next(signal);
    }
    this.announceRun(run);
  }

  frameArrived(): void {
    const call = this.onNextFrame;
    this.onNextFrame = undefined;
    call?.();
  }

  /** The session for today's cache settings; another one replaces it when they change. */
  private async sessionFor(model: Model): Promise<Session> {
    const { kvType, kvCache } = this.store.state.settings;
    const key = `${kvType} ${kvCache}`;
    if (this.opening?.key !== key) {
      void this.session?.close();
      this.session = undefined;
      this.opening = { key, session: model.createSession({ kvType, kvCache }) };
    }
    const { opening } = this;
    try {
      const session = await opening.session;
      if (opening === this.opening) this.session = session;
      return session;
    } catch (error) {
      if (opening === this.opening) this.opening = undefined; // the next run tries again
      throw error;
    }
  }

  private adopt(model: Model, { kind }: Choice): void {
    this.closeModel();
    this.model = model;
    this.lens = new Lens(model);
    // While the page is drawn, so that the first run finds it; if it fails, that run says so.
    this.sessionFor(model).catch(() => {});
    void model.cacheUse.then((use) => use === 'refused' && this.store.update());
    const { lang, prompt } = this.store.state;
    this.store.update({
      // The head that the model's file names as telling, or the first one of the last layer.
      layer: model.info.headLayer >= 0 ? model.info.headLayer : model.info.layers - 1,
      head: Math.max(0, model.info.headIndex),
      proposed: namedHead(model.info),
      load: { status: 'none' },
      model: model.info,
      modelKind: kind,
      // The first prompt is a text to continue; nobody says it in a chat.
      prompt: model.info.chat && prompt === FIRST_PROMPT[lang] ? '' : prompt,
      announcement: strings[lang].announceLoaded(modelTitle(model.info, kind, strings[lang])),
    });
    this.setMode(model.info.chat);
    this.store.drawNow(); // the reader can press Run from now on
  }

  private closeModel(): void {
    this.model?.close();
    this.model = undefined;
    this.session = this.opening = undefined;
    this.lens = new Lens(null);
    this.store.update({ model: null, run: null, history: [], race: null });
  }

  private loadProgress({ label, kind }: Choice, signal: AbortSignal): (progress: Progress) => void {
    const startedAt = performance.now();
    return ({ phase, loaded, total }) => {
      if (signal.aborted) return;
      const seconds = (performance.now() - startedAt) / 1000;
      const bytesPerSecond = seconds > 0 ? loaded / seconds : 0;
      this.store.update({
        load: { status: 'loading', label, kind, phase, loaded, total, bytesPerSecond },
      });
    };
  }

  private loadFailed(label: string, error: unknown): void {
    this.store.update({ load: { status: 'failed', label, error: pageError(error) } });
  }

  runFailed(error: unknown): void {
    const failure = pageError(error);
    this.store.update({ runError: failure });
    // The engine is gone, and the model with it.
    if (failure.code === 'engine-crashed' || failure.code === 'out-of-memory') this.closeModel();
  }

  private announceRun(run: RunRecord): void {
    const { lang } = this.store.state;
    const format = new Format(lang);
    const rate = outputCost(run).tokensPerSecond;
    const text = run.steps.map((step) => step.text).join('');
    this.store.update({
      announcement: strings[lang].announceDone(
        format.int(run.steps.length),
        rate === null ? '–' : format.short(rate),
        text.trim(),
      ),
    });
  }
}

/** What has been said so far, the newest run's answer included. */
function turnsOf({
  history,
  run,
}: {
  history: { role: string; content: string }[];
  run: RunRecord | null;
}) {
  if (!run?.prompt.chat || run.steps.length === 0) return history;
  const content = run.steps.map((step) => step.text).join('');
  return [...history, { role: 'assistant', content }];
}

function namedHead({ headLayer: layer, headIndex: head }: ModelInfo): PageState['proposed'] {
  return layer >= 0 && head >= 0 ? { layer, head, by: 'model' } : null;
}

function pageError(error: unknown): PageError {
  if (error instanceof KvScopeError) return { code: error.code, message: error.message };
  console.error(error);
  return { code: 'engine-crashed' as ErrorCode, message: String(error) };
}
