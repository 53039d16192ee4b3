import { html, type TemplateResult } from 'lit';
import type { Lang } from '../../text/format';
import type { Context } from './context';

const LANGUAGES: [Lang, string][] = [
  ['ko', '한국어'],
  ['en', 'English'],
];

export function header({ state, t, v, controller, tour }: Context): TemplateResult {
  return html`
    <header class="site">
      <a class="skip" href="#prompt">${t.skipToPrompt}</a>
      <h1>kvscope</h1>
      <div class="segmented" role="group" aria-label=${t.language}>
        ${LANGUAGES.map(
          ([lang, name]) => html`<button
            type="button"
            lang=${lang}
            aria-pressed=${state.lang === lang}
            @click=${() => controller.setLang(lang)}
          >${name}</button>`,
        )}
      </div>
      <p class="tagline">${t.tagline}</p>
      <button type="button" class="start-tour" data-action="tour" ?disabled=${!state.model} @click=${() => void tour.go(0)}>
        ${v.startTour}
      </button>
    </header>
  `;
}
