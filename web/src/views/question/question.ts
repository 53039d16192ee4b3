import { html, nothing, type TemplateResult } from 'lit';
import type { ModelInfo } from '../../api/types';
import type { HeadMap } from '../../record/head-map';
import type { Look } from '../../record/looks';
import { type Moment, momentAt } from '../../record/moment';
import type { RunRecord } from '../../record/record';
import { defineView, ViewElement } from '../base';
import { type Ask, figure, type Sentence, sentence } from '../figure';
import '../heads/heads';
import { notRecorded } from '../not-recorded';
import { LONG_TOKEN, longestOf, room } from '../room';
import { textAt } from '../stage/say';
import '../stripe';
import { viewStyles } from '../styles';
import { tokenText } from '../token-text';
import { questionStyles } from './question.styles';

/** Rows of the list of keys: the heaviest, in the order of the text. */
const MAX_ROWS = 8;
const MAX_CANDIDATES = 5;

/**
 * The question of a step: one head's Q, what it meets, what it brings back, and that it is dropped.
 *
 * @fires kv-head - detail: { layer, head }: another head was chosen
 * @fires kv-propose - a telling head is asked for
 * @fires kv-map - detail: { open }: the map of all heads was opened or closed
 */
export class QuestionView extends ViewElement {
  static override styles = [viewStyles, questionStyles];
  static override properties = {
    ...ViewElement.properties,
    layer: { type: Number },
    head: { type: Number },
    look: { attribute: false },
    proposed: { attribute: false },
    unseen: { type: Boolean },
    model: { attribute: false },
    map: { attribute: false },
    mapOpen: { type: Boolean },
    mapUnseen: { type: Boolean },
  };

  declare layer: number;
  declare head: number;
  declare look: Look | null;
  /** Who proposed the head, and which: the model's own file, or the page after looking at all. */
  declare proposed: { layer: number; head: number; by: 'model' | 'page' } | null;
  /** The record holds nothing of this place, and there is no engine to make its pass again. */
  declare unseen: boolean;
  /** Before anything has run. */
  declare model: ModelInfo | null;
  /** All heads of this moment's question, as far as they have been read. */
  declare map: HeadMap | null;
  declare mapOpen: boolean;
  /** As `unseen`, of the map. */
  declare mapUnseen: boolean;

  constructor() {
    super();
    this.layer = 0;
    this.head = 0;
    this.look = null;
    this.proposed = null;
    this.unseen = false;
    this.model = null;
    this.map = null;
    this.mapOpen = false;
    this.mapUnseen = false;
  }

  /** Asks for another head of the same question. */
  choose({ layer, head }: { layer: number; head: number }): void {
    this.emit('kv-head', { layer, head });
  }

  protected override render(): TemplateResult {
    const { run, t } = this;
    const moment = run ? momentAt(run, this.frame) : null;
    const look = moment && this.look?.position === moment.asker ? this.look : null;
    return html`
      <h3>${t.questionTitle}</h3>
      <p class="note">${room(t.questionSay(LONG_TOKEN, '000', '000'), this.say(moment))}</p>
      ${this.choice()} ${this.allHeads(moment)}
      ${this.unseen && run && moment ? notRecorded(this, run, moment.asker) : nothing}
      <div class="flow">
        ${this.query(moment, look)} ${this.keys(moment, look)} ${this.mix(look)}
        ${this.candidates(moment)}
      </div>
      ${this.tally(moment, look)}
    `;
  }

  private say(moment: Moment | null): Sentence {
    const { run, t, format, frame } = this;
    if (!run || !moment || moment.asker < 0) return [t.questionEmpty];
    const figures = [
      figure(format.int(moment.asker), (from) => from.question.askerPosition(run, frame)),
      figure(format.int(moment.asker + 1), (from) => from.question.keysMet(run, frame)),
    ];
    const asker = textAt(run, moment.asker);
    return sentence(figures, (position, keys) => t.questionSay(asker, position!, keys!));
  }

  private choice(): TemplateResult {
    const { t, format, run, proposed } = this;
    const { layers = 1, heads = 1 } = run?.model ?? {};
    const isProposed = proposed?.layer === this.layer && proposed.head === this.head;
    const select = (
      name: string,
      label: string,
      count: number,
      now: number,
      change: (n: number) => void,
    ) =>
      html`<label class="field">${label}
        <select name=${name} ?disabled=${!run} @change=${(event: Event) => change(Number((event.target as HTMLSelectElement).value))}>
          ${Array.from({ length: count }, (_, n) => html`<option value=${n} ?selected=${n === now} .selected=${n === now}>${format.int(n)}</option>`)}
        </select>
      </label>`;
    return html`<div class="bar">
      ${select('layer', t.layerName, layers, this.layer, (layer) => this.emit('kv-head', { layer, head: this.head }))}
      ${select('head', t.headName, heads, this.head, (head) => this.emit('kv-head', { layer: this.layer, head }))}
      <button type="button" data-action="propose" ?disabled=${!run?.prefill || isProposed} @click=${() => this.emit('kv-propose', {})}>
        ${t.propose}
      </button>
      <span class="muted">${room(
        longestOf(t.proposedByModel, t.proposedByPage),
        isProposed ? (proposed.by === 'model' ? t.proposedByModel : t.proposedByPage) : nothing,
      )}</span>
    </div>`;
  }

  private allHeads(moment: Moment | null): TemplateResult {
    const { map } = this;
    const isHere = moment !== null && map?.position === moment.asker;
    return html`<kv-heads
      .model=${this.model}
      .run=${this.run}
      .position=${moment?.asker ?? -1}
      .map=${isHere ? map : null}
      .layersRead=${isHere ? map.weights.length : 0}
      .layer=${this.layer}
      .head=${this.head}
      .proposed=${this.proposed}
      .open=${this.mapOpen}
      .unseen=${this.mapUnseen}
      .lang=${this.lang}
    ></kv-heads>`;
  }

  private query(moment: Moment | null, look: Look | null): TemplateResult {
    const { t, lang, format, run } = this;
    const length = figure(
      format.int(look?.qRotated?.length ?? run?.model.headDim ?? 0),
      run && ((from) => from.model.number(run.model, 'headDim')),
    );
    return html`<div class="part q">
      <p><b>Q</b> ${sentence([length], t.queryIs)}</p>
      <kv-stripe .values=${look?.qRotated ?? null} hue="q" label="q" .lang=${lang}></kv-stripe>
      <p class="gone" ?hidden=${!moment || moment.asker < 0}>${t.dropped}</p>
    </div>`;
  }

  /** Score and weight of the heaviest positions, the others summed in one row; as many rows from the start. */
  private keys(moment: Moment | null, look: Look | null): TemplateResult {
    const { t, format, run, frame } = this;
    const weights = look?.weights ?? [];
    const order = weights.map((weight, position) => ({ weight, position }));
    order.sort((a, b) => b.weight - a.weight);
    const shown = order.slice(0, MAX_ROWS).sort((a, b) => a.position - b.position);
    const others = order.slice(MAX_ROWS);
    const shownSum = shown.reduce((sum, { weight }) => sum + weight, 0);
    const row = (
      name: unknown,
      score: unknown,
      weight: number | undefined,
      ask: Ask | null,
    ) => html`<tr aria-hidden=${weight === undefined ? 'true' : nothing}>
      <th scope="row">${name}</th>
      <td>${score}</td>
      <td class="weight" data-weight=${weight ?? nothing}><span class="meter" ?hidden=${weight === undefined} .style=${`--p:${weight ?? 0}`}></span>${weight === undefined ? '\u00a0' : figure(format.percent(weight), ask)}</td>
    </tr>`;
    const none = () => row(nothing, nothing, undefined, null);
    const rowOf = (key: { weight: number; position: number } | undefined) =>
      key
        ? row(
            html`${textAt(run!, key.position)} <small class="muted">${key.position}</small>`,
            figure(format.short(look!.scores![key.position]!), (from) =>
              from.question.score(run!, look!, key.position),
            ),
            key.weight,
            (from) => from.question.weight(run!, look!, key.position),
          )
        : none();
    const keys = (look ? look.position : (moment?.asker ?? -1)) + 1;
    const met = figure(
      format.int(keys),
      run && keys > 0 ? (from) => from.question.keysMet(run, frame) : null,
    );
    return html`<div class="part">
      <p>${room(t.meetsKeys('000'), sentence([met], t.meetsKeys))}</p>
      <table class="keys">
        <thead><tr><th scope="col">K</th><th scope="col">${t.score}</th><th scope="col">${t.weight}</th></tr></thead>
        <tbody>
          ${Array.from({ length: MAX_ROWS }, (_, i) => rowOf(shown[i]))}
          ${
            others.length > 0
              ? row(
                  t.otherTokens(format.int(others.length)),
                  nothing,
                  others.reduce((sum, { weight }) => sum + weight, 0),
                  (from) => from.question.otherWeights(shownSum),
                )
              : none()
          }
        </tbody>
      </table>
    </div>`;
  }

  private mix(look: Look | null): TemplateResult {
    return html`<div class="part">
      <p>${this.t.mixesValues}</p>
      <kv-stripe .values=${look?.mixed ?? null} hue="v" label="Σ w·v" .lang=${this.lang}></kv-stripe>
    </div>`;
  }

  private candidates(moment: Moment | null): TemplateResult {
    const { t, format, run, frame } = this;
    const top = moment?.top.slice(0, MAX_CANDIDATES) ?? [];
    return html`<div class="part">
      <p>${t.candidates}</p>
      <ol class="candidates">
        ${top.map(({ id, text, p }, index) => {
          const isChosen = moment?.chosen?.id === id;
          return html`<li class=${isChosen ? 'chosen' : ''} data-p=${p}>
            <span class="name">${tokenName(text)}${isChosen ? html` <small>${t.chosen}</small>` : nothing}</span>
            <span class="meter" .style=${`--p:${p}`}></span><span class="p">${figure(format.percent(p), (from) => from.question.candidate(run!, frame, index))}</span>
          </li>`;
        })}
      </ol>
    </div>`;
  }

  private tally(moment: Moment | null, look: Look | null): TemplateResult {
    const { t, format, run, frame } = this;
    const bytes = (n: number, ask: (run: RunRecord) => Ask) =>
      figure(format.exactBytes(n), run && moment?.kv ? ask(run) : null);
    // Said openly: Q is gone, so what is shown of it was computed again.
    return html`<dl class="tally">
      <div><dt>${t.qOfPass}</dt><dd data-figure="q-bytes">${bytes(moment?.qBytes ?? 0, (run) => (from) => from.cache.qBytes(run, frame))}</dd></div>
      <div><dt>${t.qSoFar}</dt><dd data-figure="q-bytes-sum">${bytes(moment?.qBytesSum ?? 0, (run) => (from) => from.cache.qBytesSum(run, frame))}</dd></div>
      <div><dt>${t.qKept}</dt><dd>${bytes(0, () => (from) => from.cache.qKept())}</dd></div>
      <div><dt>${t.kvKept}</dt><dd>${bytes(moment?.kv?.bytes ?? 0, (run) => (from) => from.cache.bytes(run, frame))}</dd></div>
    </dl>
    <p class="note muted">${room(`${t.whyNotQ} ${t.computedAgain}`, `${t.whyNotQ} ${look ? t.computedAgain : ''}`)}</p>`;
  }
}

function tokenName(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text));
  return tokenText({ bytes, special: false }).text;
}

defineView('kv-question', QuestionView);

declare global {
  interface HTMLElementTagNameMap {
    'kv-question': QuestionView;
  }
}
