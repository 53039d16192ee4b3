import { html, nothing, type TemplateResult } from 'lit';
import type { Look } from '../../record/looks';
import type { Moment } from '../../record/moment';
import type { RunRecord } from '../../record/record';
import type { Format } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';
import type { Ask } from '../figure';

/** Tokens in a bundle: a thousand make eight. */
const BUNDLE_TOKENS = 128;
/** Fewer are seen by scrolling a little. */
export const MIN_BUNDLED_TOKENS = 161;

export interface Bundle {
  /** Positions [from, to). */
  from: number;
  to: number;
  /** Of its K and V in the cache. */
  bytes: number;
  /** What this step's question gives to its tokens together; null while that is not known. */
  weight: number | null;
  ask: Ask;
}

export function bundlesOf(run: RunRecord, moment: Moment, look: Look | null): Bundle[] {
  const { frame, tokens, cached, kv, asker } = moment;
  const weights = look?.position === asker ? look.weights : null;
  return Array.from({ length: Math.ceil(tokens / BUNDLE_TOKENS) }, (_, i) => {
    const [from, to] = [i * BUNDLE_TOKENS, Math.min(tokens, (i + 1) * BUNDLE_TOKENS)];
    const inCache = Math.max(0, Math.min(to, cached) - from);
    const weight = weights?.slice(from, to).reduce((sum, part) => sum + part, 0) ?? null;
    const ask: Ask = ({ cache, question }) => [
      cache.ofTokens(run, frame, inCache),
      ...(weights ? [question.bundleWeight(run, look!, from, to)] : []),
    ];
    return { from, to, bytes: inCache * (kv?.bytesPerToken ?? 0), weight, ask };
  });
}

/**
 * A long sequence, 128 tokens to a piece: how many bytes each keeps, and how much of the question goes
 * there. The columns themselves stay as they are, so that nothing moves; a piece is opened by going to it.
 */
export function bundleRow(
  bundles: Bundle[],
  middle: number,
  open: (from: number) => void,
  t: ViewStrings,
  format: Format,
): TemplateResult {
  const piece = ({ from, to, bytes, weight, ask }: Bundle) => {
    const [first, last] = [from, to - 1].map((n) => format.int(n)) as [string, string];
    const share = weight === null ? null : format.percent(weight);
    return html`<button type="button" class="bundle" .style=${`flex-grow:${to - from}`}
      data-from=${from} data-bytes=${bytes} data-share=${weight ?? nothing}
      aria-current=${middle >= from && middle < to}
      aria-label=${t.bundle({ first, last, bytes: format.bytes(bytes), share })}
      .ask=${ask} @click=${() => open(from)}
    >${first}–${last}<small>${format.bytes(bytes)}</small><span class="share" .style=${`--p:${weight ?? 0}`}></span></button>`;
  };
  return html`<div class="bundles" role="group" aria-label=${t.bundles}>${bundles.map(piece)}</div>`;
}
