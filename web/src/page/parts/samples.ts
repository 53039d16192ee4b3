import { html, nothing, type TemplateResult } from 'lit';
import type { Lang } from '../../text/format';
import { type Sample, samplesFor } from '../samples';
import type { Context } from './context';

const LANGUAGES: Record<Lang, string> = { ko: '한국어', en: 'English' };
/** A story with its question is longer than a list can show. */
const OPTION_CHARACTERS = 60;

/** Prompts to choose from: a press puts one into the box, with the settings that it was checked with. */
export function samples(context: Context): TemplateResult {
  const { state, t } = context;
  const isBuiltIn = state.modelKind === 'default' || !state.model;
  const kind = state.chat ? 'chat' : isBuiltIn ? 'built-in' : 'complete';
  const { first, more } = samplesFor(kind, state.lang);
  return html`
    <ul class="samples" aria-label=${t.samples}>
      ${first.map(
        (sample) => html`<li>
          <button
            type="button"
            class="sample"
            lang=${sample.lang}
            @click=${() => choose(sample, context)}
          >${sample.text}</button>
        </li>`,
      )}
      ${more.length > 0 ? html`<li>${list(more, context)}</li>` : nothing}
    </ul>
  `;
}

function list(more: Sample[], context: Context): TemplateResult {
  const { t } = context;
  const onChange = ({ target }: Event) => {
    const select = target as HTMLSelectElement;
    choose(more[Number(select.value)]!, context);
    select.selectedIndex = 0; // the heading again: the same one can be chosen twice
  };
  const option = (sample: Sample) =>
    html`<option value=${more.indexOf(sample)}>${shortened(sample.text)}</option>`;
  const group = (lang: Lang) => html`<optgroup label=${LANGUAGES[lang]} lang=${lang}>
    ${more.filter((sample) => sample.lang === lang).map(option)}
  </optgroup>`;
  return html`<select class="sample" aria-label=${t.samples} @change=${onChange}>
    <option selected disabled>${t.moreSamples(more.length)}</option>
    ${group('ko')}${group('en')}
  </select>`;
}

function choose({ text, settings }: Sample, { store, controller }: Context): void {
  store.update({ prompt: text });
  if (settings) controller.setSettings(settings);
}

/** The end of it, where the question is. */
const shortened = (text: string) =>
  text.length <= OPTION_CHARACTERS ? text : `…${text.slice(-OPTION_CHARACTERS)}`;
