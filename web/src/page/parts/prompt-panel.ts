import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { isSendKey } from '../keyboard';
import type { Context } from './context';
import { errorNotice } from './error-notice';
import { samples } from './samples';
import { settingsPanel } from './settings-panel';
import { transcript } from './transcript';

export function promptPanel(context: Context): TemplateResult {
  const { state, t } = context;
  return html`
    <section class="prompt" aria-labelledby="prompt-title">
      <div class="section-head">
        <h2 id="prompt-title">${t.prompt}</h2>
        ${state.model?.chat ? modeSwitch(context) : nothing}
      </div>
      ${state.chat ? transcript(context) : nothing}
      ${samples(context)}
      ${promptBox(context)} ${reusable(context)}
      ${state.runError ? errorNotice(state.runError, context) : nothing}
      ${settingsPanel(context)}
    </section>
  `;
}

function modeSwitch({ state, t, controller }: Context): TemplateResult {
  const option = (chat: boolean, name: string) => html`<button
    type="button"
    aria-pressed=${state.chat === chat}
    ?disabled=${state.phase !== 'idle'}
    @click=${() => controller.setMode(chat)}
  >${name}</button>`;
  return html`
    <div class="head-actions">
      ${
        state.chat && state.run
          ? html`<button type="button" class="quiet" @click=${() => controller.newChat()}>
              ${t.newChat}
            </button>`
          : nothing
      }
      <div class="segmented" role="group" aria-label=${t.mode}>
        ${option(true, t.modeChat)}${option(false, t.modeComplete)}
      </div>
    </div>
  `;
}

/** Prompt edited in the middle: what of the cache still counts, and only the rest to compute. */
function reusable({ state, v, format, controller }: Context): TemplateResult {
  const { reusable: kept, run } = state;
  if (!kept || kept.tokens === 0 || !run) return html`<p class="reusable"></p>`;
  return html`<p class="reusable">
    <span>${v.reusable(format.int(kept.tokens), format.int(kept.of))}</span>
    <button type="button" data-action="run-rest" @click=${() => void controller.run(true)}>
      ${v.runReusing}
    </button>
  </p>`;
}

function promptBox({ state, t, store, controller }: Context): TemplateResult {
  const busy = state.phase !== 'idle';
  const ready = state.model !== null && state.prompt.trim() !== '';
  const onKeydown = (event: KeyboardEvent) => {
    if (!isSendKey(event)) return;
    event.preventDefault();
    void controller.run();
  };
  return html`
    <div class="prompt-box">
      <textarea
        id="prompt"
        rows="2"
        spellcheck="false"
        aria-label=${state.chat ? t.messageLabel : t.promptLabel}
        aria-describedby="enter-hint"
        placeholder=${state.chat ? t.messagePlaceholder : t.promptPlaceholder}
        .value=${live(state.prompt)}
        @input=${(event: Event) =>
          store.update({ prompt: (event.target as HTMLTextAreaElement).value })}
        @keydown=${onKeydown}
      ></textarea>
      <div class="prompt-actions">
        <span id="enter-hint" class="muted">${t.enterHint}</span>
        <button
          type="button"
          class="primary"
          data-action=${busy ? 'stop' : 'run'}
          ?disabled=${!busy && !ready}
          @click=${() => (busy ? controller.stop() : void controller.run())}
        >${busy ? t.stop : t.run}</button>
      </div>
    </div>
  `;
}
