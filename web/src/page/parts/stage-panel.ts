import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import '../../views/question/question';
import '../../views/stage/stage';
import { momentAt } from '../../record/moment';
import type { RunRecord } from '../../record/record';
import { type Ask, figure, sentence } from '../../views/figure';
import { longestOf, room } from '../../views/room';
import { isMapOpen } from '../looking';
import { newestFrame } from '../state';
import { TOUR } from '../tour';
import type { Context } from './context';
import { transport } from './transport';

/** The stage, what drives it, and the text that comes of it. */
export function stagePanel(context: Context): TemplateResult {
  const { state, store, t, controller } = context;
  const { run } = state;
  const frame = state.frame ?? (run ? newestFrame(run) : 0);
  const onHead = ({ detail }: CustomEvent<{ layer: number; head: number }>) => store.update(detail);
  const onSelect = ({ detail }: CustomEvent<{ position: number }>) =>
    store.update({ selected: detail.position });
  return html`
    <section class="stage-section" aria-labelledby="stage-title">
      <div class="section-head">
        <h2 id="stage-title">${t.tokens}</h2>
        ${runState(context)}
      </div>
      <div class="stage-columns">
      <div>
      <kv-stage
        .run=${run}
        .model=${state.model}
        .frame=${frame}
        .revision=${state.revision}
        .lang=${state.lang}
        .layersShown=${state.layersShown ?? Infinity}
        .layer=${state.layer}
        .head=${state.head}
        .look=${matchingLook(context)}
        .selected=${state.selected}
        .point=${(state.tour !== null && TOUR[state.tour]?.point) || null}
        @kv-select=${onSelect}
      ></kv-stage>
      ${transport(context)} ${runningText(context)}
      </div>
      <kv-question
        .run=${run}
        .frame=${frame}
        .revision=${state.revision}
        .lang=${state.lang}
        .layer=${state.layer}
        .head=${state.head}
        .look=${matchingLook(context)}
        .proposed=${state.proposed}
        .unseen=${isUnseen(context, askerAt(run, frame))}
        .model=${state.model}
        .map=${state.headMap}
        .mapOpen=${isMapOpen(state)}
        .mapUnseen=${isMapUnseen(context, askerAt(run, frame))}
        @kv-head=${onHead}
        @kv-map=${({ detail }: CustomEvent<{ open: boolean }>) => store.update({ mapOpen: detail.open })}
        @kv-propose=${() => void controller.proposeHead(frame)}
      ></kv-question>
      </div>
    </section>
  `;
}

/** What was seen last may be of another head: then there is nothing to draw yet. */
function matchingLook({ state: { look, layer, head } }: Context) {
  return look && look.layer === layer && look.head === head ? look : null;
}

const askerAt = (run: RunRecord | null, frame: number) => (run ? momentAt(run, frame).asker : -1);

/** A recorded run whose model is not the one that is loaded: only what was looked at can be shown. */
export function isUnseen({ state, controller }: Context, position: number): boolean {
  const { run, layer, head } = state;
  if (!run || position < 0) return false;
  const { lens } = controller;
  return !lens.canLook(run) && !lens.recorded(run, { position, layer, head });
}

function isMapUnseen({ state: { run }, controller: { lens } }: Context, asker: number): boolean {
  return run !== null && asker >= 0 && !lens.canLook(run) && !lens.recordedMap(run, asker);
}

function runState({ state, t, format }: Context): TemplateResult {
  const { run, phase } = state;
  const longest = `${t.prefill} ${t.nTokens('000')} · 0.000 ms · ${t.decode} ${t.nTokens('000')} · ${longestOf(...Object.values(t.finish))}`;
  const { prefill, prefilling, steps = [], finish } = run ?? {};
  const tokens = (n: number, ask: Ask) => sentence([figure(format.int(n), ask)], t.nTokens);
  const parts = [
    phase === 'prefill' &&
      prefilling &&
      t.prefillRunning(format.int(prefilling.loaded), format.int(prefilling.total)),
    prefill && [
      `${t.prefill} `,
      tokens(prefill.tokens - prefill.reused, (from) => from.cost.tokens(run!, 'input')),
      ' · ',
      figure(format.measuredMs(prefill.ms), (from) => from.cost.ms(run!, 'input')),
    ],
    prefill &&
      prefill.reused > 0 &&
      sentence(
        [figure(format.int(prefill.reused), (from) => from.cost.reusedTokens(run!))],
        t.reusedNote,
      ),
    steps.length > 0 && [
      `${t.decode} `,
      tokens(steps.length, (from) => from.cost.outputTokens(run!)),
    ],
    finish && t.finish[finish],
  ];
  const said = parts.filter(Boolean).map((part, i) => [i > 0 ? ' · ' : '', part]);
  // Others in their place, and not the same ones moved: see views/figure.ts.
  const key = `${prefilling?.loaded} ${prefill?.ms} ${steps.length} ${finish}`;
  return html`<p class="run-state muted num" data-finish=${finish ?? ''}>${room(longest, keyed(key, said))}</p>`;
}

/** The same tokens as one text to read. A chat has its transcript for that. */
function runningText({ t, state: { run, phase } }: Context): TemplateResult | typeof nothing {
  if (run?.prompt.chat) return nothing;
  const output = run?.steps.map((step) => step.text).join('') ?? '';
  const text = html`<div><span class="muted">${run?.prompt.text}</span><span data-output>${output}</span></div>`;
  return html`<div
    class="running-text"
    role="group"
    aria-label=${t.text}
    aria-busy=${phase !== 'idle'}
    tabindex="0"
    data-follow
  >${text}</div>`;
}
