import { html, nothing, type TemplateResult } from 'lit';
import type { KvType, ModelInfo } from '../api/types';
import { BYTES_PER_ELEMENT, kvBytesPerToken, newestKv } from '../record/figures';
import type { RunRecord } from '../record/record';
import type { ViewContext } from './view';

export interface CacheSubject {
  model: ModelInfo;
  kvType: KvType;
  kvCache: boolean;
  /** null before the first run: the figures per token are known all the same. */
  run: RunRecord | null;
  qBytesDiscarded: number;
}

/** The KV cache in numbers: now, how they come about, what one token takes, what is set aside. */
export function cacheFigures(subject: CacheSubject, context: ViewContext): TemplateResult {
  const { model, kvType, kvCache, run, qBytesDiscarded } = subject;
  const { t, format } = context;
  const kv = run && newestKv(run);
  const tokens = kv?.tokens ?? 0;
  const bytes = kv?.bytes ?? 0;
  const reserved = kv
    ? [format.bytes(kv.reservedBytes), t.reservedNote(format.int(kv.capacity))]
    : ['–', '\u00a0']; // the note's line is kept, so that nothing moves when it comes
  return html`
    <p class="big">
      <output class="num" data-figure="kv-bytes" data-bytes=${bytes}>${format.exactBytes(bytes)}</output>
      <span class="muted">${t.cacheNow}</span>
    </p>
    ${kvCache ? formula(model, kvType, tokens, context) : html`<p class="formula note">${t.cacheOff}</p>`}
    <dl class="figures">
      ${figure(t.tokensInCache, format.int(tokens))}
      ${figure(t.perToken, format.exactBytes(kv?.bytesPerToken ?? kvBytesPerToken(model, kvType)))}
      ${figure(t.perLayer, format.exactBytes(bytes / model.layers))}
      ${figure(t.reserved, ...(reserved as [string, string]))}
      ${figure(t.qDropped, format.bytes(qBytesDiscarded))}
    </dl>
  `;
}

function formula(
  { layers, kvHeads, headDim }: ModelInfo,
  kvType: KvType,
  tokens: number,
  { t, format }: ViewContext,
): TemplateResult {
  const factors = [2, layers, kvHeads, headDim, BYTES_PER_ELEMENT[kvType], tokens];
  return html`<p class="formula num">
    <span>${factors.map((factor) => format.int(factor)).join(' × ')}</span>
    <small class="muted">${t.cacheFormula}</small>
  </p>`;
}

function figure(name: string, value: string, note = ''): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd class="num">${value}${note ? html` <small class="muted">${note}</small>` : nothing}</dd>
  </div>`;
}
