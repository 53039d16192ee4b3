import { html, type TemplateResult } from 'lit';
import type { ModelNumber } from '../../sources/model';
import { figure } from '../../views/figure';
import type { Context } from './context';

export function facts({ state, t, format }: Context): TemplateResult {
  const { model } = state;
  if (!model) return html``;
  const number = (name: ModelNumber, write = (n: number) => format.int(n)) =>
    figure(write(model[name]), (from) => from.model.number(model, name));
  const rows: [string, TemplateResult | string][] = [
    [t.factName, model.name],
    [t.factArchitecture, model.architecture],
    [t.factQuantization, model.quantization],
    [t.factParameters, number('parameters')],
    [t.factFile, number('bytes', (n) => format.exactBytes(n))],
    [t.factLayers, number('layers')],
    [t.factHeads, number('heads')],
    [t.factKvHeads, number('kvHeads')],
    [t.factHeadDim, number('headDim')],
    [t.factDim, number('dim')],
    [t.factFfn, number('ffnDim')],
    [t.factVocab, number('vocabSize')],
    [t.factContext, number('contextLength')],
    [t.factBuild, model.build],
    [t.factThreads, number('threads')],
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
