import { html, type TemplateResult } from 'lit';
import type { Context } from './context';

export function facts({ state, t, format }: Context): TemplateResult {
  const { model } = state;
  if (!model) return html``;
  const rows: [string, string][] = [
    [t.factName, model.name],
    [t.factArchitecture, model.architecture],
    [t.factQuantization, model.quantization],
    [t.factParameters, format.int(model.parameters)],
    [t.factFile, format.exactBytes(model.bytes)],
    [t.factLayers, format.int(model.layers)],
    [t.factHeads, format.int(model.heads)],
    [t.factKvHeads, format.int(model.kvHeads)],
    [t.factHeadDim, format.int(model.headDim)],
    [t.factDim, format.int(model.dim)],
    [t.factFfn, format.int(model.ffnDim)],
    [t.factVocab, format.int(model.vocabSize)],
    [t.factContext, format.int(model.contextLength)],
    [t.factBuild, model.build],
    [t.factThreads, format.int(model.threads)],
  ];
  return html`
    <section class="facts facts-section" aria-labelledby="facts-title">
      <h2 id="facts-title">${t.facts}</h2>
      <dl class="facts-list">
        ${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd class="num">${value}</dd></div>`)}
      </dl>
      ${model.isolation ? html`<p class="muted note">${t.isolation[model.isolation]}</p>` : ''}
      ${model.cache === 'refused' ? html`<p class="muted note">${t.notKept}</p>` : ''}
    </section>
  `;
}
