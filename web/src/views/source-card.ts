// What a figure answers. Fetched with the first question, and with it all that it takes to answer.
import { css, html, nothing, render, type TemplateResult } from 'lit';
import type { Part, Term } from '../sources/formula';
import * as sources from '../sources/index';
import type { Source } from '../sources/source';
import type { Lang } from '../text/format';
import { type SourceStrings, sourceStrings } from '../text/sources/strings';
import type { Asked } from './figure';

const cardStyles = css`
  .source-card {
    position: fixed;
    z-index: 10;
    inset: 0 auto auto 0;
    box-sizing: border-box;
    width: max-content;
    max-width: min(26rem, calc(100vw - 12px));
    max-height: 60vh;
    margin: 0;
    padding: 0.625rem 0.75rem;
    overflow: auto;
    border: 1px solid var(--line-strong, color-mix(in srgb, currentColor 50%, transparent));
    border-radius: 0.375rem;
    background: var(--paper, Canvas);
    box-shadow: 0 2px 12px rgb(0 0 0 / 18%);
    color: var(--ink, CanvasText);
    font-size: 0.8125rem;
    font-weight: 400;
    font-variant-numeric: tabular-nums;
    line-height: 1.4;
    letter-spacing: 0;
    text-align: start;
    white-space: normal;
  }
  :where(.source-card) p {
    margin: 0;
  }
  .source-how {
    font-weight: 600;
  }
  .source-formula {
    display: flex;
    flex-wrap: wrap;
    align-items: first baseline;
    gap: 0.125rem 0.3rem;
    margin: 0.375rem 0;
  }
  .source-term {
    display: inline-flex;
    flex-direction: column;
    align-items: center;
  }
  .source-card :is(.source-name, .source-field, .source-note, .source-arrows) {
    color: var(--muted, color-mix(in srgb, currentColor 70%, transparent));
    font-size: 0.75rem;
  }
  .source-name {
    max-width: 12rem;
    line-height: 1.2;
    text-align: center;
  }
  .source-field,
  .source-card code {
    font-family: ui-monospace, Menlo, Consolas, monospace;
    font-size: 0.71875rem;
    overflow-wrap: anywhere;
  }
  .source-result {
    font-weight: 600;
  }
  .source-card section {
    padding: 0;
    border: 0;
  }
  .source-card section + section {
    margin-top: 0.5rem;
    padding-top: 0.5rem;
    border-top: 1px solid var(--line, color-mix(in srgb, currentColor 16%, transparent));
  }
  .source-arrows {
    margin-top: 0.375rem;
  }
`;

/** Without popovers it lies over the page all the same, and may be cut where its view ends. */
export function makeCard(id: string): HTMLElement {
  const box = document.createElement('div');
  Object.assign(box, { id, className: 'source-card', popover: 'manual' });
  box.setAttribute('role', 'tooltip');
  return box;
}

export function adoptStyles(root: Node): void {
  const { adoptedStyleSheets } = root as Document | ShadowRoot;
  const sheet = cardStyles.styleSheet;
  if (sheet && !adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
}

export function drawCard(box: HTMLElement, figure: Asked, lang: Lang): void {
  const answer = figure.ask!(sources);
  const t = sourceStrings[lang];
  const write = writer(lang);
  const all = Array.isArray(answer) ? answer : [answer];
  const byKeys = figure.matches('.figure:focus-visible');
  render(
    html`${all.map((source) => section(source, t, write))}
    ${byKeys ? html`<p class="source-arrows">${t.arrows}</p>` : nothing}`,
    box,
  );
  box.lang = lang;
}

type Write = (n: number) => string;

function section(source: Source, t: SourceStrings, write: Write): TemplateResult {
  const { how, field, formula, note, noteNumber, value } = source;
  const agrees = formula && field ? `; ${t.formulaAgrees}` : '';
  const said = note && t.notes[note];
  return html`<section data-how=${how} data-value=${value}>
    <p class="source-how">${t.how[how]}${agrees}</p>
    <p class="source-formula">
      ${formula ? formula.parts.map((part) => partOf(part, t, write)) : nothing}
      <span class="source-result">${formula ? '= ' : ''}${result(source, t, write)}</span>
    </p>
    ${said ? html`<p class="source-note">${typeof said === 'string' ? said : said(write(noteNumber ?? 0))}</p>` : nothing}
    ${field ? html`<p class="source-field">${breakable(field)}</p>` : nothing}
  </section>`;
}

function result({ value, unit, isShare }: Source, t: SourceStrings, write: Write): TemplateResult {
  const percent = isShare ? ` = ${write(100 * value)} %` : '';
  return html`<span class="source-result">${write(value)}${percent} ${t.units[unit]}</span>`;
}

function partOf(part: Part, t: SourceStrings, write: Write): TemplateResult {
  if (typeof part === 'string') return html`<span>${part}</span> `;
  return html`<span class="source-term"><span class="source-n">${written(part, write)}</span> ${nameOf(part, t)}</span> `;
}

function written({ n, power, root }: Term, write: Write): string {
  if (root !== undefined) return `√${write(root)}`;
  if (power !== undefined) return `e^${write(power)}`;
  return write(n);
}

function nameOf({ name, field }: Term, t: SourceStrings): TemplateResult | typeof nothing {
  if (field) return html`<code class="source-name">${breakable(field)}</code>`;
  return name ? html`<span class="source-name">${t.terms[name]}</span>` : nothing;
}

/** A place in the record parts at its dots, where it has to. */
const breakable = (field: string) =>
  field.split('.').map((key, i) => (i === 0 ? key : html`<wbr>.${key}`));

/** As many digits as it takes to check the sum by hand. */
function writer(lang: Lang): Write {
  const large = new Intl.NumberFormat(lang, { maximumFractionDigits: 2 });
  const small = new Intl.NumberFormat(lang, { maximumSignificantDigits: 6 });
  return (n) =>
    (Math.abs(n) >= 1000 || Number.isInteger(n) ? large : small).format(n).replace('-', '−');
}
