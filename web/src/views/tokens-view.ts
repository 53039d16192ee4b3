import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { RunRecord, StepRecord, TokenRecord } from '../record/record';
import { tokenText } from './token-text';
import type { Phase, ViewContext } from './view';

/** Chips beyond this many fold away, oldest first, so that a long run stays quick to draw. */
const MAX_CHIPS = 400;

interface ViewOptions {
  phase: Phase;
  showAll: boolean;
  onShowAll(): void;
}

/** The sequence as chips: the prompt's all at once, the output's one by one. */
export function tokensView(
  run: RunRecord,
  options: ViewOptions,
  context: ViewContext,
): TemplateResult {
  return html`
    <div class="tokens">
      ${promptRow(run, options, context)} ${outputRow(run, options, context)}
    </div>
  `;
}

function promptRow(run: RunRecord, options: ViewOptions, context: ViewContext): TemplateResult {
  const { t, format } = context;
  const { prefill, prefilling, prompt } = run;
  const reused = prefill?.reused ?? 0;
  const state = prefill
    ? `${t.nTokens(format.int(prefill.tokens))} · ${format.ms(prefill.ms)}`
    : prefilling
      ? t.prefillRunning(format.int(prefilling.loaded), format.int(prefilling.total))
      : '';
  const chips = guard([run, prefill, options.showAll, t], () =>
    folded(prompt.tokens, options, context, (token, position) =>
      chip(token, position, `prompt ${position < reused ? 'reused' : ''}`, '', context),
    ),
  );
  return html`
    <div class="token-row prefill" data-active=${options.phase === 'prefill'}>
      <p class="row-head">
        <strong>${t.prefill}</strong> <span class="muted">${t.prefillNote}</span>
        <span class="num row-figure">
          ${reused > 0 ? html`<span class="muted">${t.reusedNote(format.int(reused))}</span>` : nothing}
          ${state}
        </span>
      </p>
      <ol class="chips" data-row="prompt" tabindex="0" aria-label=${t.prefill}>${chips}</ol>
    </div>
  `;
}

function outputRow(run: RunRecord, options: ViewOptions, context: ViewContext): TemplateResult {
  const { t, format } = context;
  const { steps, finish } = run;
  return html`
    <div class="token-row decode" data-active=${options.phase === 'decode'}>
      <p class="row-head">
        <strong>${t.decode}</strong> <span class="muted">${t.decodeNote}</span>
        <span class="num row-figure">
          ${finish ? html`<span class="muted">${t.finish[finish]}</span>` : nothing}
          ${steps.length > 0 ? t.nTokens(format.int(steps.length)) : ''}
        </span>
      </p>
      <ol class="chips" data-row="output" data-follow tabindex="0" aria-label=${t.decode}>
        ${folded(steps, options, context, (step) => stepChip(step, context))}
      </ol>
    </div>
  `;
}

function folded<T>(
  items: T[],
  { showAll, onShowAll }: ViewOptions,
  { t, format }: ViewContext,
  draw: (item: T, index: number) => TemplateResult,
): TemplateResult {
  const hidden = showAll ? 0 : Math.max(0, items.length - MAX_CHIPS);
  const fold = html`<li class="fold">
    <button type="button" class="quiet" @click=${onShowAll}>
      ${t.earlierTokens(format.int(hidden))} · ${t.showAll}
    </button>
  </li>`;
  return html`${hidden > 0 ? fold : nothing}${items.slice(hidden).map((item, i) => draw(item, hidden + i))}`;
}

function stepChip(step: StepRecord, context: ViewContext): TemplateResult {
  const { t, format } = context;
  const title = t.probability(format.percent(step.p));
  if (step.finish === 'stop' && step.text === '') {
    return chip({ ...step, special: true }, step.position, 'output end', title, context, t.end);
  }
  return chip({ ...step, special: false }, step.position, 'output', title, context);
}

function chip(
  token: Pick<TokenRecord, 'id' | 'bytes' | 'special'>,
  position: number,
  classes: string,
  title: string,
  { t, format }: ViewContext,
  label?: string,
): TemplateResult {
  const { text, kind, wordStart } = tokenText(token);
  const about = [t.tokenTitle(String(token.id), format.int(position)), title].filter(Boolean);
  return html`<li
    class="chip ${kind} ${classes} ${wordStart ? 'word-start' : ''}"
    title=${`${label ? `${text} · ` : ''}${about.join(' · ')}`}
  ><span class="chip-text">${label ?? text}</span><span class="chip-id num">${position}<i>·</i>${token.id}</span></li>`;
}
