import { html, type TemplateResult } from 'lit';
import '../../views/cache/cache';
import '../../views/calculator/calculator';
import '../../views/cost/cost';
import { newestFrame } from '../state';
import type { Context } from './context';

/** The cache and the cost of the run, beside each other where there is room. */
export function numbersPanel({ state, v }: Context): TemplateResult {
  const { run, model, lang, revision } = state;
  const { kvType, kvCache } = run?.session ?? state.settings;
  const frame = state.frame ?? (run ? newestFrame(run) : 0);
  return html`<div class="columns">
    <section class="cache-section" aria-labelledby="cache-title">
      <h2 id="cache-title">${v.cacheTitle}</h2>
      <kv-cache
        .run=${run}
        .frame=${frame}
        .revision=${revision}
        .lang=${lang}
        .model=${run?.model ?? model}
        .kvType=${kvType}
        .kvCache=${kvCache}
      ></kv-cache>
    </section>
    <section class="cost-section" aria-labelledby="cost-title">
      <h2 id="cost-title">${v.costTitle}</h2>
      <kv-cost .run=${run} .frame=${frame} .revision=${revision} .lang=${lang}></kv-cost>
    </section>
  </div>`;
}

export function calculatorPanel({ state, v }: Context): TemplateResult {
  return html`<section class="calculator-section" aria-labelledby="calculator-title">
    <h2 id="calculator-title">${v.calculatorTitle}</h2>
    <kv-calculator .lang=${state.lang}></kv-calculator>
  </section>`;
}
