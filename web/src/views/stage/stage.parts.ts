import { html, nothing, type TemplateResult } from 'lit';
import type { Moment } from '../../record/moment';
import type { RunRecord } from '../../record/record';
import type { Format } from '../../text/format';
import type { ViewStrings } from '../../text/views/strings';
import { type Ask, figure, sentence } from '../figure';
import type { Axis, Column } from './axis';
import type { Geometry, Row } from './geometry';
import type { Metric } from './scene';
import type { StageView } from './stage';

interface ChipOptions {
  run: RunRecord;
  moment: Moment;
  span: [from: number, to: number];
  selected: number | null;
}

/** So many chips may be in the document together; of more, those in view. The table has all. */
const MAX_CHIPS = 160;

/** The tokens of both phases. */
export function chips(
  axis: Axis,
  { chips: row }: Geometry,
  options: ChipOptions,
  t: ViewStrings,
): TemplateResult {
  const { run, moment, span, selected } = options;
  const reused = run.prefill?.reused ?? 0;
  const all = axis.columns.length <= MAX_CHIPS;
  const [first, end] = all ? [0, axis.columns.length] : axis.within(...span);
  const seen = axis.columns.slice(first, Math.min(end, moment.tokens));
  const chip = (column: Column) => {
    const { position, id, kind, wordStart } = column;
    const next = axis.columns[position + 1];
    const ask: Ask = (from) => from.question.token(run, position);
    const classes = [
      ...['chip', kind, column.phase],
      column.end && 'end',
      column.cut && 'cut',
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
      .ask=${ask}
    ><span class="chip-text">${column.text}</span><span class="chip-id">${position}<i>·</i>${id}</span></li>`;
  };
  const of = (phase: Column['phase']) => seen.filter((column) => column.phase === phase).map(chip);
  return html`
    <ol data-row="prompt" aria-label=${t.prefill}>${of('prompt')}</ol>
    <ol data-row="output" aria-label=${t.decode}>${of('output')}</ol>
  `;
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

export interface GutterFacts {
  bytes: number;
  /** Null before there are any. */
  askBytes: Ask | null;
  layers: number;
  metric: Metric;
  scale: number | null;
  hasUncached: boolean;
}

export function gutter(
  geometry: Geometry,
  { bytes, askBytes, layers, metric, scale, hasUncached }: GutterFacts,
  t: ViewStrings,
  format: Format,
): TemplateResult {
  const at = ({ y, height }: Row, content: TemplateResult, name = '') =>
    html`<div class=${name} .style=${`top:${y}px;height:${height}px`}>${content}</div>`;
  const write = (n: number) => (metric === 'macs' ? `${format.count(n)} MAC` : format.ms(n));
  const unit = metric === 'macs' ? 'MAC' : 'ms';
  const scaled =
    scale === null
      ? '\u00a0'
      : sentence([figure(write(scale), (from) => from.picture.scale(scale, unit))], t.fullHeight);
  return html`
    ${at(geometry.links, html`<strong>${t.rowQuestion}</strong><span class="muted">${t.rowQuestionNote}</span>`)}
    ${at(geometry.chips, html`<strong>${t.rowTokens}</strong><span class="muted">${t.rowTokensNote}</span>`)}
    ${at(geometry.grid, html`<span class="muted">${t.layer(format.int(layers - 1))}</span><strong>${t.rowCache}</strong><span class="muted">${t.layer('0')}</span>`, 'layers')}
    ${at(geometry.bytes, html`<strong>${t.rowBytes}</strong><span data-figure="stage-bytes">${figure(format.exactBytes(bytes), askBytes)}</span>`)}
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
