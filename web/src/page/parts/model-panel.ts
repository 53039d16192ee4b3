import { html, nothing, type TemplateResult } from 'lit';
import type { Strings } from '../../text/strings';
import { longestOf, room } from '../../views/room';
import type { Choice } from '../controller';
import { fileName, modelAbout, modelTitle } from '../model-title';
import type { LoadState, PageState } from '../state';
import type { Context } from './context';
import { errorNotice } from './error-notice';

/** Where `npm start` serves the file that set-up fetched; elsewhere it may be put beside the page. */
const REAL_MODEL_URL = 'models/real/SmolLM2-135M-Instruct.Q4_1.gguf';

export function modelPanel(context: Context): TemplateResult {
  const { state, t, controller } = context;
  const { load } = state;
  return html`
    <section class="model" aria-labelledby="model-title">
      <h2 id="model-title" class="visually-hidden">${t.model}</h2>
      <div class="model-line">
        ${load.status === 'loading' ? loading(load, context) : current(context)}
      </div>
      ${about(state, t)}
      ${
        load.status === 'failed'
          ? errorNotice(load.error, context, () => controller.retryLoad())
          : nothing
      }
      ${state.newVersion ? newVersion(context) : nothing}
      ${state.online ? nothing : html`<p class="notice" role="status">${t.offline}</p>`}
      ${state.chooserOpen ? chooser(context) : nothing}
    </section>
  `;
}

function newVersion({ t, offline }: Context): TemplateResult {
  return html`
    <div class="notice" role="status" data-notice="new-version">
      <p>${t.newVersion}</p>
      <div class="actions">
        <button type="button" @click=${() => offline.useNewVersion()}>${t.useNewVersion}</button>
      </div>
    </div>
  `;
}

/** As long as a loading line and the summary after it: the one takes the other's place. */
function longestLine({ t, format }: Context): string {
  const [parameters, bytes] = [format.count(1.23e6), format.bytes(1.23e6)];
  return longestOf(
    `llama · Q4_0 · ${parameters} · ${bytes}`,
    `${t.loadedOf(bytes, bytes)} · ${bytes}/s`,
  );
}

const button = ({ t }: Context, text: string) => room(longestOf(t.modelChange, t.cancel), text);

function current(context: Context): TemplateResult {
  const { state, t, format, store } = context;
  const { model, chooserOpen } = state;
  const summary = model
    ? `${model.architecture} · ${model.quantization} · ${format.count(model.parameters)} · ${format.bytes(model.bytes)}`
    : '';
  return html`
    <p class="model-name">
      <strong>${modelTitle(model, state.modelKind, t)}</strong>
      <span class="muted">${room(longestLine(context), summary)}</span>
    </p>
    <button
      type="button"
      aria-expanded=${chooserOpen}
      aria-controls="model-chooser"
      @click=${() => store.update({ chooserOpen: !chooserOpen })}
    >${button(context, t.modelChange)}</button>
  `;
}

/** The built-in one's is known while it loads. */
function about({ model, load }: PageState, t: Strings): TemplateResult | typeof nothing {
  const isLoading = load.status === 'loading';
  const text = isLoading
    ? load.kind === 'default' && t.modelDefaultAbout
    : model && modelAbout(model, t);
  return text ? html`<p class="model-about muted">${text}</p>` : nothing;
}

function loading(load: LoadState & { status: 'loading' }, context: Context): TemplateResult {
  const { t, format, controller } = context;
  const { label, phase, loaded, total, bytesPerSecond } = load;
  const amount =
    phase === 'connect'
      ? t.connecting
      : `${t.loadedOf(format.bytes(loaded), total > 0 ? format.bytes(total) : '?')} · ${format.bytes(bytesPerSecond)}/s`;
  return html`
    <div class="loading">
      <p class="model-name">
        <strong>${label}</strong>
        <span class="muted num">${room(longestLine(context), amount)}</span>
      </p>
      <progress
        aria-label="${t.loading}: ${label}"
        max=${total || 1}
        .value=${total > 0 ? loaded : 0}
      ></progress>
    </div>
    <button type="button" @click=${() => controller.cancelLoad()}>${button(context, t.cancel)}</button>
  `;
}

function chooser({ t, controller }: Context): TemplateResult {
  const choose = (choice: Choice) => () => void controller.load(choice);
  const byUrl = (event: SubmitEvent) => {
    event.preventDefault();
    const input = (event.target as HTMLFormElement).elements.namedItem('url') as HTMLInputElement;
    if (input.value.trim())
      void controller.load({
        source: input.value.trim(),
        label: fileName(input.value.trim()),
        kind: 'other',
      });
  };
  return html`
    <div class="chooser" id="model-chooser">
      <button
        type="button"
        class="choice"
        @click=${choose({ source: undefined, label: t.modelDefault, kind: 'default' })}
      >
        <span>${t.modelDefault}</span><small>${t.modelDefaultNote}</small>
      </button>
      <button
        type="button"
        class="choice"
        @click=${choose({ source: REAL_MODEL_URL, label: t.modelReal, kind: 'real' })}
      >
        <span>${t.modelReal}</span><small>${t.modelRealNote}</small>
      </button>
      <label class="choice">
        <input class="visually-hidden" type="file" accept=".gguf" @change=${chooseFile(controller)} />
        <span>${t.modelFile}</span><small>${t.modelFileNote}</small>
      </label>
      <form class="url" @submit=${byUrl}>
        <label for="model-url">${t.modelUrl}</label>
        <input id="model-url" name="url" inputmode="url" placeholder=${t.modelUrlPlaceholder} />
        <button type="submit">${t.modelUrlLoad}</button>
      </form>
    </div>
  `;
}

function chooseFile(controller: Context['controller']): (event: Event) => void {
  return ({ target }) => {
    const input = target as HTMLInputElement;
    const file = input.files?.[0];
    // So that choosing the same file again, after a fault, is a change too.
    input.value = '';
    if (file) void controller.load({ source: file, label: file.name, kind: 'other' });
  };
}
