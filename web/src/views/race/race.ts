import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { compareAt, type RaceMetric, type RaceRecord, sameTokens, summed } from '../../record/race';
import { defineView, ViewElement } from '../base';
import { type Ask, figure, type Sentence, sentence } from '../figure';
import { HEADROOM, LinePlot, plotStyles } from '../line-plot';
import { onSchemeChange, readPalette } from '../palette';
import { longestOf, room } from '../room';
import { viewStyles } from '../styles';

type LapName = 'cached' | 'uncached';

/** The article's own number: without a cache, token 50 computes the other 49 again. */
const TOLD_TOKEN = 50;
const LENGTHS = [64, 128, 256, 448];
const METRICS: RaceMetric[] = ['macs', 'ms'];

/**
 * The same prompt with the cache and without, both run for real.
 *
 * @fires kv-race - detail: { tokens }: start it
 * @fires kv-race-stop
 */
export class RaceView extends ViewElement {
  static override styles = [
    viewStyles,
    plotStyles,
    css`
      .bar {
        margin-top: 0.75rem;
      }
      thead th {
        vertical-align: bottom;
        white-space: normal;
      }
      .plot {
        height: 15rem;
        margin-top: 0.75rem;
      }
      .told {
        margin-top: 0.75rem;
        max-width: 44rem;
      }
      table {
        width: 100%;
        max-width: 44rem;
        margin-top: 0.5rem;
        table-layout: fixed;
      }
      .tokens {
        width: 4.5rem;
      }
      .key::before {
        display: inline-block;
        width: 1.5rem;
        margin-inline-end: 0.375rem;
        border-top: 2px solid var(--_ink);
        vertical-align: middle;
        content: '';
      }
      .key.cached::before {
        border-top: 2px dashed var(--_v);
      }
    `,
  ];
  static override properties = {
    ...ViewElement.properties,
    race: { attribute: false },
    running: { type: Boolean },
    ready: { type: Boolean },
    tokens: { state: true },
    metric: { state: true },
  };

  declare race: RaceRecord | null;
  declare running: boolean;
  /** There is an engine to run it. */
  declare ready: boolean;
  declare tokens: number;
  declare metric: RaceMetric;

  private plot: LinePlot | undefined;
  private drawn = '';
  private stopListening: (() => void) | undefined;
  private readonly sizes = new ResizeObserver(() => this.plot?.fit());

  constructor() {
    super();
    this.race = null;
    this.running = false;
    this.ready = false;
    this.tokens = LENGTHS[0]!;
    this.metric = 'macs';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.stopListening = onSchemeChange(() => {
      this.drawn = '';
      this.requestUpdate();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stopListening?.();
    this.sizes.disconnect();
    this.plot?.destroy();
    this.plot = undefined;
    this.drawn = '';
  }

  protected override render(): TemplateResult {
    const { t, race, metric } = this;
    const ask: Ask | null = race && ((from) => from.picture.racePlot(race, metric, HEADROOM));
    return html`
      <p class="note muted">${t.raceIntro}</p>
      ${this.controls()}
      <div class="plot" role="img" aria-label=${t.racePlot(t.metrics[metric])} .ask=${ask}></div>
      <p class="bar"><span class="key">${t.withoutCache}</span><span class="key cached">${t.withCache}</span></p>
      ${this.table()}
      <p class="told" data-figure="race-told">${room(this.longestTold, race ? this.told(race) : nothing)}</p>
    `;
  }

  protected override firstUpdated(): void {
    this.sizes.observe(this.renderRoot.querySelector('.plot')!);
  }

  protected override updated(changed: PropertyValues): void {
    const host = this.renderRoot.querySelector<HTMLElement>('.plot')!;
    const key = `${this.metric} ${this.lang}`;
    if (key !== this.drawn) {
      this.plot?.destroy();
      const palette = readPalette(host);
      this.plot = new LinePlot(
        host,
        {
          palette,
          lines: [{ color: palette.ink }, { color: palette.v, dash: [6, 4] }],
          xLabel: this.t.tokensOfSequence,
          formatY: (value) => this.amount(value),
        },
        this.data,
      );
      this.drawn = key;
    } else if (this.race || changed.has('race')) this.plot?.set(this.data);
  }

  /** Tokens, summed without the cache, and with it; before a race an axis and no line. */
  private get data(): [number[], (number | null)[], (number | null)[]] {
    const { race, metric } = this;
    if (!race)
      return [
        [0, TOLD_TOKEN],
        [null, null],
        [null, null],
      ];
    const kept = summed(race.cached, metric);
    const redone = summed(race.uncached, metric);
    const n = Math.min(kept.length, redone.length);
    const first = race.cached.prefill.tokens;
    const x = Array.from({ length: n }, (_, i) => first + i);
    return [x, redone.slice(0, n), kept.slice(0, n)];
  }

  private amount(value: number): string {
    return this.metric === 'macs' ? this.format.count(value) : this.format.ms(value);
  }

  private controls(): TemplateResult {
    const { t, running, ready, format } = this;
    const longest = longestOf(t.startRace, t.stopRace);
    const onTokens = (event: Event) => {
      this.tokens = Number((event.target as HTMLSelectElement).value);
    };
    return html`<div class="bar">
      ${
        running
          ? html`<button type="button" class="primary" data-action="race-stop" @click=${() => this.emit('kv-race-stop', {})}>${room(longest, t.stopRace)}</button>`
          : html`<button type="button" class="primary" data-action="race" ?disabled=${!ready} @click=${() => this.emit('kv-race', { tokens: this.tokens })}>${room(longest, t.startRace)}</button>`
      }
      <label class="field">${t.raceLength}
        <select name="race-tokens" @change=${onTokens}>
          ${LENGTHS.map((n) => html`<option value=${n} ?selected=${n === this.tokens}>${format.int(n)}</option>`)}
        </select>
      </label>
      ${METRICS.map(
        (metric) =>
          html`<button type="button" aria-pressed=${this.metric === metric} @click=${() => {
            this.metric = metric;
          }}>${t.metrics[metric]}</button>`,
      )}
    </div>`;
  }

  private told(race: RaceRecord): Sentence {
    const { t, format, metric } = this;
    const compared = compareAt(race, TOLD_TOKEN, metric);
    if (!compared) return [t.raceRunning];
    const { token: at, step, sum } = compared;
    const { tokens, same } = sameTokens(race);
    const unit = metric === 'macs' ? ' MAC' : '';
    const figures = [
      figure(format.int(at), (from) => from.race.token(race, at)),
      this.stepFigure(race, 'cached', at, step.cached, unit),
      this.stepFigure(race, 'uncached', at, step.uncached, unit),
      figure(format.short(step.ratio), (from) => from.race.ratio(race, at, metric)),
      figure(format.short(sum.ratio), (from) => from.race.sumRatio(race, at, metric)),
    ];
    const count = figure(format.int(tokens), (from) => from.race.compared(race, tokens));
    return [
      sentence(figures, (token, cached, uncached, ratio, sumRatio) =>
        t.raceTold({
          ...{ token: token!, cached: cached!, uncached: uncached! },
          ...{ ratio: ratio!, sumRatio: sumRatio! },
        }),
      ),
      ' ',
      sentence([count], same ? t.sameTokens : t.differentTokens),
    ];
  }

  /** What the pass for a token cost. */
  private stepFigure(race: RaceRecord, lap: LapName, at: number, cost: number, unit = '') {
    const { metric, run } = this;
    return figure(this.amount(cost) + unit, (from) =>
      from.race.step(race, lap, at, metric, run?.model ?? null),
    );
  }

  private get longestTold(): string {
    const { t } = this;
    const amounts = { cached: '000.0 M MAC', uncached: '000.0 M MAC', ratio: '00.0' };
    return `${t.raceTold({ token: '00', ...amounts, sumRatio: '00.0' })} ${t.sameTokens('000')}`;
  }

  private table(): TemplateResult {
    const { t, race, format } = this;
    const at = race && compareAt(race, TOLD_TOKEN, this.metric);
    const total = (lap: LapName) => race && summed(race[lap], this.metric).at(-1)!;
    const { metric } = this;
    const row = (name: string, lap: LapName) => html`<tr data-lap=${lap}>
      <th scope="row">${name}</th>
      <td data-figure="tokens">${race ? figure(format.int(race[lap].steps.length), (from) => from.race.tokens(race, lap)) : '–'}</td>
      <td data-figure="step">${race && at ? this.stepFigure(race, lap, at.token, at.step[lap]) : '–'}</td>
      <td data-figure="total" data-value=${total(lap) ?? ''}>${race ? figure(this.amount(total(lap)!), (from) => from.race.total(race, lap, metric)) : '–'}</td>
    </tr>`;
    return html`<div class="scroll" tabindex="0" role="group" aria-label=${t.raceTitle}><table>
      <thead><tr><td></td><th scope="col" class="tokens">${t.token}</th><th scope="col" .textContent=${t.stepAt(format.int(at?.token ?? TOLD_TOKEN))}></th><th scope="col">${t.total}</th></tr></thead>
      <tbody>${row(t.withCache, 'cached')}${row(t.withoutCache, 'uncached')}</tbody>
    </table></div>`;
  }
}

defineView('kv-race', RaceView);

declare global {
  interface HTMLElementTagNameMap {
    'kv-race': RaceView;
  }
}
