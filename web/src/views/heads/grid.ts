// The table of the map: a cell for each head, with its bars.
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { ModelInfo } from '../../api/types';
import type { Format } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';
import { barsOf } from './bars';
import { isSame, type Place } from './place';

/** The rows share this height, in CSS pixels, within what can be read and what is enough. */
const [ROWS_HEIGHT, MIN_ROW, MAX_ROW] = [420, 13, 26];

export interface Grid {
  model: ModelInfo;
  chosen: Place;
  /** The cell that Tab leads to. */
  focused: Place;
  proposed: Place | null;
  /** Of a head, in the order of the positions; null while they are not known. */
  weights(place: Place): number[] | null;
  /** What a cell says of itself. */
  about(place: Place): string;
}

/** A row is made anew only when what it shows is another. */
export function drawGrid(grid: Grid, t: ViewStrings, format: Format): TemplateResult {
  const { model, chosen, focused, proposed } = grid;
  const { layers, heads, kvHeads } = model;
  const group = heads / kvHeads;
  const height = Math.max(MIN_ROW, Math.min(MAX_ROW, Math.floor(ROWS_HEIGHT / layers)));
  /** The first head of a group also spans the gap before it, which is a column of its own. */
  const isFirst = (head: number) => group > 1 && head % group === 0;
  const kvHead = (kv: number) =>
    html`<th class="kv first" scope="colgroup" colspan=${group + 1}><span>${t.kvHead(format.int(kv))}</span></th>`;
  const column = (head: number) =>
    html`<th class=${isFirst(head) ? 'first' : ''} scope="col" colspan=${isFirst(head) ? 2 : 1}>${format.int(head)}</th>`;
  const row = (layer: number) => {
    const marked = [chosen, focused, proposed].map((at) => at?.layer === layer && at.head);
    const weights = range(heads).map((head) => grid.weights({ layer, head }));
    return guard([t, model, ...marked, ...weights], () => makeRow(layer));
  };
  const makeRow = (layer: number) =>
    html`<tr><th scope="row">${format.int(layer)}</th>${range(heads).map((head) => cell(grid, { layer, head }, isFirst(head)))}</tr>`;
  return html`<table role="grid" aria-label=${t.mapLabel} .style=${`--row:${height}px`}>
    <colgroup>
      <col class="layers">
      ${range(heads).map((head) => html`${isFirst(head) ? html`<col class="gap">` : nothing}<col>`)}
    </colgroup>
    <thead>
      ${group > 1 ? html`<tr><td></td>${range(kvHeads).map(kvHead)}</tr>` : nothing}
      <tr><th scope="col">${t.layerName}</th>${range(heads).map(column)}</tr>
    </thead>
    <tbody>${range(layers).reverse().map(row)}</tbody>
  </table>`;
}

function cell(grid: Grid, place: Place, isFirst: boolean): TemplateResult {
  const { model, chosen, focused, proposed } = grid;
  const weights = grid.weights(place);
  const bars = weights && barsOf(weights, model.heads);
  const classes = [isFirst && 'first', isSame(proposed, place) && 'proposed'];
  return html`<td role="gridcell" class=${classes.filter(Boolean).join(' ')}
    colspan=${isFirst ? 2 : 1}
    data-layer=${place.layer} data-head=${place.head}
    tabindex=${isSame(focused, place) ? 0 : -1}
    aria-selected=${isSame(chosen, place)}
    aria-label=${grid.about(place)}
  ><span class="cell">${
    bars
      ? html`<svg viewBox="0 0 ${bars.bars} 1" preserveAspectRatio="none" aria-hidden="true"><path d=${bars.path}></path></svg>`
      : nothing
  }</span></td>`;
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
