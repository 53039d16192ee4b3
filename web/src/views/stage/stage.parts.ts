import { html, nothing, type TemplateResult } from 'lit';
import type { Moment } from '../../record/moment';
import type { Format } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';
import type { Axis, Column } from './axis';
import type { Geometry, Row } from './geometry';
import type { Metric } from './scene';
import type { StageView } from './stage';

interface ChipOptions {
  moment: Moment;
  span: [from: number, to: number];
  selected: number | null;
  reused: number;
}

/** So many chips may be in the document together; of more, those in view. The table has all. */
const MAX_CHIPS = 160;

/** The tokens of both phases. */
export function chips(
  axis: Axis,
  { chips: row }: Geometry,
  options: ChipOptions,
  t: ViewStrings,
  format: Format,
): TemplateResult {
  const { moment, span, selected, reused } = options;
  const all = axis.columns.length <= MAX_CHIPS;
  const [first, end] = all ? [0, axis.columns.length] : axis.within(...span);
  const seen = axis.columns.slice(first, Math.min(end, moment.tokens));
  const chip = (column: Column) => {
    const { position, id, kind, wordStart } = column;
    const next = axis.columns[position + 1];
    const classes = [
      ...['chip', kind, column.phase],
      column.end && 'end',
      wordStart && 'word-start',
      (position === 0 || axis.columns[position - 1]!.phase !== column.phase) && 'first',
      (!next || next.wordStart || next.phase !== column.phase || kind === 'special') && 'word-end',
      position < reused && 'reused',
      position === selected && 'selected',
      position === moment.asker && 'asker',
    ];
    return html`<li
      class=${classes.filter(Boolean).join(' ')}
      .style=${`left:${column.x}px;width:${column.width}px;top:${row.y}px;height:${row.height}px`}
      title=${aboutOf(column, t, format)}
    ><span class="chip-text">${column.text}</span><span class="chip-id">${position}<i>·</i>${id}</span></li>`;
  };
  const of = (phase: Column['phase']) => seen.filter((column) => column.phase === phase).map(chip);
  return html`
    <ol data-row="prompt" aria-label=${t.prefill}>${of('prompt')}</ol>
    <ol data-row="output" aria-label=${t.decode}>${of('output')}</ol>
  `;
}

function aboutOf(column: Column, t: ViewStrings, format: Format): string {
  const { id, position, p } = column;
  if (column.about?.lang !== t.lang) {
    const parts = [t.tokenTitle(String(id), format.int(position))];
    if (p !== null) parts.push(t.probability(format.percent(p)));
    column.about = { lang: t.lang, text: parts.join(' · ') };
  }
  return column.about.text;
}

/** Which columns are whose: the phases' names stand over their first columns. */
export function phases(
  axis: Axis,
  geometry: Geometry,
  moment: Moment,
  t: ViewStrings,
): TemplateResult {
  const { y, height } = geometry.phases;
  const name = (x: number, text: string, note: string) =>
    html`<p class="phase" .style=${`left:${x}px;top:${y}px;height:${height}px`}>
      ${text}<span class="muted">${note}</span>
    </p>`;
  const output = axis.columns.find((column) => column.phase === 'output');
  const hasOutput = output && moment.phase === 'decode';
  return html`
    ${name(0, t.prefill, t.prefillNote)}
    ${
      hasOutput
        ? html`<div class="divider" .style=${`left:${output.x - 10}px;height:${geometry.height}px`}></div>
          ${name(output.x, t.decode, t.decodeNote)}`
        : nothing
    }
  `;
}

interface GutterFacts {
  bytes: number;
  layers: number;
  metric: Metric;
  scale: number | null;
  hasUncached: boolean;
}

export function gutter(
  geometry: Geometry,
  { bytes, layers, metric, scale, hasUncached }: GutterFacts,
  t: ViewStrings,
  format: Format,
): TemplateResult {
  const at = ({ y, height }: Row, content: TemplateResult, name = '') =>
    html`<div class=${name} .style=${`top:${y}px;height:${height}px`}>${content}</div>`;
  const write = (n: number) => (metric === 'macs' ? `${format.count(n)} MAC` : format.ms(n));
  const scaled = scale === null ? '\u00a0' : t.fullHeight(write(scale));
  return html`
    ${at(geometry.links, html`<strong>${t.rowQuestion}</strong><span class="muted">${t.rowQuestionNote}</span>`)}
    ${at(geometry.chips, html`<strong>${t.rowTokens}</strong><span class="muted">${t.rowTokensNote}</span>`)}
    ${at(geometry.grid, html`<span class="muted">${t.layer(format.int(layers - 1))}</span><strong>${t.rowCache}</strong><span class="muted">${t.layer('0')}</span>`, 'layers')}
    ${at(geometry.bytes, html`<strong>${t.rowBytes}</strong><span data-figure="stage-bytes">${format.exactBytes(bytes)}</span>`)}
    ${at(geometry.cached, html`<strong>${t.rowCached}</strong><span class="muted">${scaled}</span>`)}
    ${at(geometry.uncached, html`<strong>${t.rowUncached}</strong><span class="muted">${hasUncached ? t.sameScale : t.notRun}</span>`)}
  `;
}

export function legend(stage: StageView, t: ViewStrings): TemplateResult {
  const kvHeads = stage.shape?.kvHeads ?? 1;
  const toggle = (pressed: boolean, name: string, press: () => void) =>
    html`<button type="button" aria-pressed=${pressed} @click=${press}>${name}</button>`;
  return html`<div class="bar legend">
    <span class="key">K</span><span class="key v">V</span><span class="key q">${t.keyQ}</span>
    ${toggle(stage.metric === 'ms', t.costAsTime, () => {
      stage.metric = stage.metric === 'ms' ? 'macs' : 'ms';
    })}
    ${
      kvHeads > 1
        ? toggle(stage.byHead, t.showHeads, () => {
            stage.byHead = !stage.byHead;
          })
        : nothing
    }
  </div>`;
}
