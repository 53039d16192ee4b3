import { html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { KvType } from '../../api/types';
import type { PageSettings } from '../state';
import type { Context } from './context';

type NumericSetting = 'temperature' | 'maxTokens' | 'minP' | 'seed';

const RANGES: Record<NumericSetting, { min: number; max: number; step: number }> = {
  temperature: { min: 0, max: 2, step: 0.1 },
  maxTokens: { min: 1, max: 100_000, step: 1 },
  minP: { min: 0, max: 1, step: 0.01 },
  seed: { min: 0, max: 2 ** 32 - 1, step: 1 },
};

export function settingsPanel(context: Context): TemplateResult {
  const { t } = context;
  return html`
    <details class="settings">
      <summary>${t.settings}</summary>
      <div class="fields">
        ${numberField(context, 'temperature', t.temperature, t.temperatureHint)}
        ${numberField(context, 'maxTokens', t.maxTokens)}
        ${numberField(context, 'minP', t.minP)}
        ${numberField(context, 'seed', t.seed)}
        ${kvTypeField(context)}
        ${checkbox(context, 'kvCache', t.kvCache, t.kvCacheHint)}
        ${checkbox(context, 'ignoreEos', t.ignoreEos)}
      </div>
    </details>
  `;
}

function numberField(
  { state, controller }: Context,
  name: NumericSetting,
  label: string,
  hint?: string,
): TemplateResult {
  const { min, max, step } = RANGES[name];
  const onChange = ({ target }: Event) => {
    const value = (target as HTMLInputElement).valueAsNumber;
    const whole = step === 1 ? Math.round(value) : value;
    // Out of range or empty: back to what it was.
    if (whole >= min && whole <= max) controller.setSettings({ [name]: whole });
    else controller.setSettings({});
  };
  return html`
    <label class="field">
      <span>${label}</span>
      <input
        type="number"
        name=${name}
        min=${min}
        max=${max}
        step=${step}
        .value=${live(String(state.settings[name]))}
        @change=${onChange}
      />
      ${hint ? html`<small>${hint}</small>` : ''}
    </label>
  `;
}

function kvTypeField({ state, t, controller }: Context): TemplateResult {
  const onChange = ({ target }: Event) =>
    controller.setSettings({ kvType: (target as HTMLSelectElement).value as KvType });
  return html`
    <label class="field">
      <span>${t.kvType}</span>
      <select name="kvType" @change=${onChange}>
        ${(['f16', 'f32', 'q8_0'] as const).map(
          (type) => html`<option value=${type} ?selected=${state.settings.kvType === type}>
            ${type}
          </option>`,
        )}
      </select>
    </label>
  `;
}

function checkbox(
  { state, controller }: Context,
  name: keyof PageSettings & ('kvCache' | 'ignoreEos'),
  label: string,
  hint?: string,
): TemplateResult {
  const onChange = ({ target }: Event) =>
    controller.setSettings({ [name]: (target as HTMLInputElement).checked });
  return html`
    <label class="field check">
      <input type="checkbox" name=${name} .checked=${live(state.settings[name])} @change=${onChange} />
      <span>${label}</span>
      ${hint ? html`<small>${hint}</small>` : ''}
    </label>
  `;
}
