import { html, type TemplateResult } from 'lit';
import type { Context } from './parts/context';
import { facts } from './parts/facts';
import { header } from './parts/header';
import { modelPanel } from './parts/model-panel';
import { calculatorPanel, numbersPanel } from './parts/numbers-panel';
import { projectionsPanel } from './parts/projections-panel';
import { promptPanel } from './parts/prompt-panel';
import { racePanel } from './parts/race-panel';
import { stagePanel } from './parts/stage-panel';
import { tourPanel } from './parts/tour-panel';

/** The whole page, from its state. */
export function app(context: Context): TemplateResult {
  const { state, t } = context;
  return html`
    ${header(context)}
    <main data-phase=${state.phase}>
      ${modelPanel(context)} ${promptPanel(context)}
      ${stagePanel(context)}
      ${numbersPanel(context)}
      ${projectionsPanel(context)} ${racePanel(context)} ${calculatorPanel(context)}
      ${facts(context)}
    </main>
    <footer class="site">
      <p>
        <a href="./article-${state.lang}.html">${t.article}</a>
        <a href="./docs.html?lang=${state.lang}">${t.reference}</a>
      </p>
      <p class="muted">${t.footer}</p>
    </footer>
    ${tourPanel(context)}
    <p class="visually-hidden" role="status" aria-live="polite">${state.announcement}</p>
    ${state.dragging ? html`<div class="drop" aria-hidden="true"><p>${t.dropHere}</p></div>` : ''}
  `;
}
