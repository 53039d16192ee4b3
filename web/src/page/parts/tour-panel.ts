import { html, nothing, type TemplateResult } from 'lit';
import { TOUR } from '../tour';
import type { Context } from './context';

/** One sentence of the tour at a time, at the foot of the window, with the picture above it. */
export function tourPanel(context: Context): TemplateResult | typeof nothing {
  const { state, v, format, tour } = context;
  const { tour: step, run } = state;
  if (step === null) return nothing;
  const last = step === TOUR.length - 1;
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') tour.end();
  };
  return html`
    <aside class="tour" aria-label=${v.tour} @keydown=${onKey}>
      <p aria-live="polite">${run ? TOUR[step]!.say(context, run) : v.tourWait}</p>
      <div class="tour-actions">
        <span class="muted num">${format.int(step + 1)} / ${format.int(TOUR.length)}</span>
        <button type="button" data-action="tour-back" ?disabled=${step === 0} @click=${() => void tour.go(step - 1)}>
          ${v.back}
        </button>
        <button type="button" class="primary" data-action="tour-next" @click=${() => (last ? tour.end() : void tour.go(step + 1))}>
          ${last ? v.tourEnd : v.next}
        </button>
        <button type="button" class="quiet" data-action="tour-close" @click=${() => tour.end()}>${v.close}</button>
      </div>
    </aside>
  `;
}
