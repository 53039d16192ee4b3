import { html, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { cacheFigures } from '../views/cache-view';
import { costView } from '../views/cost-view';
import type { Context } from './parts/context';
import { facts } from './parts/facts';
import { header } from './parts/header';
import { modelPanel } from './parts/model-panel';
import { projectionsPanel } from './parts/projections-panel';
import { promptPanel } from './parts/prompt-panel';
import { racePanel } from './parts/race-panel';
import { stagePanel } from './parts/stage-panel';
import { tourPanel } from './parts/tour-panel';

/** The whole page, from its state. The plot is drawn by its own object into `plotHost`. */
export function app(context: Context, plotHost: (element?: Element) => void): TemplateResult {
  const { state, t } = context;
  return html`
    ${header(context)}
    <main data-phase=${state.phase}>
      ${modelPanel(context)} ${promptPanel(context)}
      ${stagePanel(context)}
      <div class="columns">
        ${cache(context, plotHost)}
        <section class="cost-section" aria-labelledby="cost-title">
          <h2 id="cost-title">${t.cost}</h2>
          ${costView(state.run, context)}
          <p class="muted note">${t.costNote}</p>
        </section>
      </div>
      ${projectionsPanel(context)} ${racePanel(context)}
      ${facts(context)}
    </main>
    <footer class="site"><p class="muted">${t.footer}</p></footer>
    ${tourPanel(context)}
    <p class="visually-hidden" role="status" aria-live="polite">${state.announcement}</p>
    ${state.dragging ? html`<div class="drop" aria-hidden="true"><p>${t.dropHere}</p></div>` : ''}
  `;
}

function cache(context: Context, plotHost: (element?: Element) => void): TemplateResult {
  const { state, t } = context;
  const { model, run, qBytesDiscarded } = state;
  const { kvType, kvCache } = run?.session ?? state.settings;
  return html`
    <section class="cache-section" aria-labelledby="cache-title">
      <h2 id="cache-title">${t.cache}</h2>
      ${model ? cacheFigures({ model, kvType, kvCache, run, qBytesDiscarded }, context) : ''}
      <figure>
        <div class="plot" role="img" aria-label=${t.plotLabel} ${ref(plotHost)}></div>
        <figcaption class="muted">
          <span class="legend k">K</span><span class="legend v">V</span>${t.plotLabel}
        </figcaption>
      </figure>
    </section>
  `;
}
