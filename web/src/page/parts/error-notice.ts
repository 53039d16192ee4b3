import { html, nothing, type TemplateResult } from 'lit';
import { ERRORS } from '../../api/error-table';
import type { PageError } from '../state';
import type { Context } from './context';

/** One line in the reader's language, the engine's own words under it, and what can be done. */
export function errorNotice(
  error: PageError,
  { state, t, controller }: Context,
  onRetry?: () => void,
): TemplateResult {
  return html`
    <div class="notice error" role="alert" data-error=${error.code}>
      <p>
        <strong>${ERRORS[error.code][state.lang]}</strong>
        <span class="detail" lang="en">${error.message}</span>
      </p>
      <div class="actions">
        ${onRetry ? html`<button type="button" @click=${onRetry}>${t.retry}</button>` : nothing}
        <button type="button" class="quiet" @click=${() => controller.dismissErrors()}>
          ${t.dismiss}
        </button>
      </div>
    </div>
  `;
}
