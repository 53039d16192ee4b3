import { html, nothing, type TemplateResult } from 'lit';
import { sameSpot } from '../record/looks';
import type { RunRecord } from '../record/record';
import type { ViewElement } from './base';
import { textAt } from './stage/say';

interface Looker extends ViewElement {
  layer: number;
  head: number;
  choose(place: { layer: number; head: number }): void;
}

/** As many ways out are offered. */
const MAX_OFFERS = 4;

/**
 * Instead of an empty picture: a recorded run, shown without its model, holds only what was looked at
 * while it ran. Says what is missing, what would bring it, and which heads were recorded here.
 */
export function notRecorded(view: Looker, run: RunRecord, position: number): TemplateResult {
  const { layer, head } = view;
  const t = view.words;
  const offers = run.looks
    .filter((look) => look.position === position && !sameSpot(look, { position, layer, head }))
    .slice(0, MAX_OFFERS);
  return html`<div class="not-recorded" role="status">
    <p>${t.notRecorded({ token: textAt(run, position), layer: String(layer), head: String(head) })}</p>
    <p class="muted">${t.howToSee(run.model.name)} ${offers.length > 0 ? t.recordedHere : nothing}</p>
    ${offers.map(
      (look) => html`<button type="button" @click=${() => view.choose(look)}>
        ${t.layerName} ${look.layer}, ${t.headName} ${look.head}
      </button> `,
    )}
  </div>`;
}
