import { html, nothing, type TemplateResult } from 'lit';
import { modelTitle } from '../model-title';
import type { Context } from './context';

/** The conversation. Text that is still coming is not a live region: a summary is announced. */
export function transcript({ state, t }: Context): TemplateResult {
  const { history, run, phase } = state;
  const name = modelTitle(state.model, state.modelKind, t);
  const answer = run?.steps.map((step) => step.text).join('') ?? '';
  return html`
    <ol class="transcript" data-follow tabindex="0" aria-label=${t.conversation}>
      ${history.map(({ role, content }) => turn(role, content, role === 'user' ? t.you : name))}
      ${run || phase !== 'idle' ? turn('assistant', answer, name, phase !== 'idle') : nothing}
    </ol>
  `;
}

function turn(role: string, content: string, name: string, busy = false): TemplateResult {
  return html`<li class="turn ${role}" aria-busy=${busy}>
    <span class="who">${name}</span>
    <p>${content}${busy ? html`<span class="caret" aria-hidden="true"></span>` : nothing}</p>
  </li>`;
}
