import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { momentAt } from '../../record/moment';
import { figure, sentence } from '../../views/figure';
import { longestOf, room } from '../../views/room';
import type { Speed } from '../pace';
import { newestFrame } from '../state';
import type { Context } from './context';

const SPEEDS: Speed[] = ['real', 'slow', 'step'];

/** Run, pause, step, speed, and the scrubber over the recorded moments. */
export function transport(context: Context): TemplateResult {
  const { state, v, playback } = context;
  const { run, phase, model } = state;
  const running = phase !== 'idle' && !state.paused;
  const canStep = model !== null && !(playback.atEnd && run !== null);
  const longest = longestOf(v.pause, v.play, v.goOn);
  const button = (action: string, name: unknown, press: () => void, disabled = false) =>
    html`<button type="button" data-action=${action} ?disabled=${disabled} @click=${press}>${name}</button>`;
  return html`
    <div class="transport" role="group" aria-label=${v.transport}>
      ${button('reset', v.reset, () => playback.reset(), !run)}
      ${
        running
          ? button('pause', room(longest, v.pause), () => playback.pause())
          : button(
              'play',
              room(longest, phase === 'idle' ? v.play : v.goOn),
              () => playback.play(),
              !model,
            )
      }
      ${button('step-token', v.stepToken, () => playback.stepToken(), !canStep)}
      ${button('step-layer', v.stepLayer, () => playback.stepLayer(), !canStep && state.layersShown === null)}
      <div class="segmented" role="group" aria-label=${v.speed}>
        ${SPEEDS.map(
          (speed) => html`<button
            type="button"
            aria-pressed=${state.speed === speed}
            @click=${() => playback.setSpeed(speed)}
          >${v.speeds[speed]}</button>`,
        )}
      </div>
      ${files(context)} ${scrubber(context)}
    </div>
    ${state.replayError ? html`<p class="notice error" role="alert">${v.badRunFile(state.replayError)}</p>` : nothing}
  `;
}

function scrubber({ state, v, t, format, playback }: Context): TemplateResult {
  const { run, frame } = state;
  const last = run ? newestFrame(run) : 0;
  const now = frame ?? last;
  const phase = run ? momentAt(run, now).phase : 'tokens';
  const name = phase === 'tokens' ? v.scrubTokens : phase === 'prefill' ? t.prefill : t.decode;
  const longest = `${v.scrubAt('000', '000')} · ${longestOf(v.scrubTokens, t.prefill, t.decode)}`;
  const where = v.scrubAt(format.int(now), format.int(last));
  // While a run streams they change with every token.
  const isStill = state.phase === 'idle';
  const number = (n: number) =>
    figure(format.int(n), isStill ? (from) => from.picture.moment(n) : null);
  return html`<label class="scrub">
    <span class="visually-hidden">${v.scrub}</span>
    <input
      type="range"
      name="scrub"
      min="0"
      max=${Math.max(1, last)}
      step="1"
      ?disabled=${!run}
      .value=${live(String(now))}
      aria-valuetext=${`${where}, ${name}`}
      @input=${(event: Event) => playback.seek((event.target as HTMLInputElement).valueAsNumber)}
    />
    <span class="num muted where">${room(longest, run ? html`${sentence([number(now), number(last)], v.scrubAt)} · ${name}` : nothing)}</span>
  </label>`;
}

function files({ state: { run, shared }, v, playback }: Context): TemplateResult {
  const onFile = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    if (file) void playback.open(file);
    input.value = '';
  };
  return html`<div class="files">
    <button type="button" class="quiet" data-action="save-run" ?disabled=${!run} @click=${() => playback.save()}>
      ${v.exportRun}
    </button>
    <button type="button" class="quiet" data-action="share" @click=${() => void playback.share()}>
      ${room(longestOf(v.shared, v.share), shared ? v.shared : v.share)}
    </button>
    <label class="file-button">
      <input type="file" accept=".json,application/json" name="replay" @change=${onFile} />
      <span>${v.replayRun}</span>
    </label>
  </div>`;
}
