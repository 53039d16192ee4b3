import { html, nothing, type TemplateResult } from 'lit';
import { ERRORS } from '../api/error-table';
import type { KvScopeError } from '../api/errors';
import type { Progress } from '../api/types';
import { newestKv, outputCost } from '../record/figures';
import type { RunRecord } from '../record/record';
import { Format, type Lang } from '../text/format';
import { tokenText } from '../views/token-text';
import type { ElementState } from './kv-scope';
import type { Say } from './say';
import { type Words, words } from './words';

/** From here on a reader wants to know that the next visit downloads it again. */
const HEAVY_FILE_BYTES = 20e6;
/** From here on a second thread would be felt. */
const HEAVY_WEIGHT_BYTES = 20e6;

/** What the element shows. */
export interface Scene {
  state: ElementState;
  prompt: string;
  view: string;
  run: RunRecord | null;
  /** The run in a view that is not the list of tokens. */
  drawing: TemplateResult | null | undefined;
  progress: Progress | null;
  error: KvScopeError | null;
  running: boolean;
  /** Other elements are running. */
  waits: boolean;
  savesData: boolean;
  say: Say;
  press(): void;
}

export function draw(lang: Lang, scene: Scene): TemplateResult {
  const t = words[lang];
  const { running, run, state, press, view, drawing } = scene;
  const content = drawing ?? tokens(scene, t);
  return html`
    <div class="view" part="view" role="group" tabindex="0" aria-label=${t.tokens} aria-busy=${running}>
      ${state === 'error' ? html`<slot name="fallback">${content}</slot>` : content}
    </div>
    <p class="caption" part="caption">${t.captions[view] ?? t.captions.tokens}</p>
    <p class="line">
      <button part="button" type="button" @click=${press}>${running ? t.stop : t.run}</button>
      ${note(scene, lang)} ${run ? figures(run, lang, scene.say) : nothing}
    </p>
    <p class="visually-hidden" role="status">${state === 'done' && run ? summary(run, lang) : nothing}</p>
  `;
}

function tokens({ run, prompt }: Scene, t: Words): TemplateResult {
  const list = (chips: unknown) =>
    html`<ol class="chips" part="tokens" aria-label=${t.tokens}>${chips}</ol>`;
  if (!run) {
    return html`<slot name="poster">${list(html`<li class="chip prompt">${prompt}</li>`)}</slot>`;
  }
  const chip = (token: Parameters<typeof tokenText>[0], classes: string, label?: string) => {
    const { text, wordStart } = tokenText(token);
    return html`<li class="chip ${classes} ${wordStart ? 'word-start' : ''}">${label ?? text}</li>`;
  };
  return list([
    ...run.prompt.tokens.map((token) => chip(token, 'prompt')),
    ...run.steps.map((step) =>
      step.finish === 'stop' && step.text === ''
        ? chip({ ...step, special: true }, 'output', t.end)
        : chip({ ...step, special: false }, 'output'),
    ),
  ]);
}

function note(scene: Scene, lang: Lang): TemplateResult | typeof nothing {
  const { state, error, progress, waits, savesData, run } = scene;
  const t = words[lang];
  if (error && state === 'error')
    return html`<span role="alert">${ERRORS[error.code][lang]}</span>`;
  if (waits) return html`<span>${t.waiting}…</span>`;
  if (savesData) return html`<span>${t.saveData}</span>`;
  if (state === 'loading') return html`<span>${t.loading(percent(progress))}</span>`;
  if (run?.model.cache === 'refused' && run.model.bytes > HEAVY_FILE_BYTES && state === 'done') {
    return html`<span>${t.notKept}</span>`;
  }
  const { isolation, weightBytes = 0 } = run?.model ?? {};
  const couldBeFaster = isolation === 'not-isolated' && weightBytes > HEAVY_WEIGHT_BYTES;
  return couldBeFaster && state === 'done' ? html`<span>${t.oneThread}</span>` : nothing;
}

function percent(progress: Progress | null): string {
  if (!progress?.total) return '…';
  return `${Math.floor((100 * progress.loaded) / progress.total)} %`;
}

function figures(run: RunRecord, lang: Lang, say: Say): TemplateResult | typeof nothing {
  const t = words[lang];
  const kv = newestKv(run);
  if (!kv) return nothing;
  const format = new Format(lang);
  const rate = outputCost(run).tokensPerSecond;
  const newest = 1 + run.steps.length; // see record/moment.ts
  return html`
    <span>${say(t.cacheIs, format.exactBytes(kv.bytes), (from) => from.cache.bytes(run, newest))}</span>
    ${rate ? html`<span>${say(t.rate, format.short(rate), (from) => from.cost.tokensPerSecond(run, 'output'))}</span>` : nothing}
  `;
}

/** Said once, when all is there: a live region that follows every token cannot be listened to. */
function summary(run: RunRecord, lang: Lang): string {
  const text = run.steps.map((step) => step.text).join('');
  return words[lang].done(new Format(lang).int(run.steps.length), text.trim());
}
