import { css, html, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type * as sources from '../sources/index';
import type { Source } from '../sources/source';

/** Called when the figure is asked, with what views/source-card.ts has fetched by then. */
export type Ask = (from: typeof sources) => Source | Source[];

/** An element that can be asked where its number comes from; see views/asking.ts. */
export type Asked = HTMLElement & { ask?: Ask | null };

/** Another number is another box: flush right, one with a digit more would count as moved. */
type Figure = TemplateResult & { text: string };

/** A number that says on tap, hover and focus where it comes from. ask: null while there is nothing to say. */
export function figure(text: string, ask: Ask | null): Figure | string {
  if (!ask) return text;
  const button = html`<button type="button" class="figure" tabindex="-1" .ask=${ask}>${text}</button>`;
  return Object.assign(html`${keyed(text, button)}`, { text });
}

/** Words with figures among them, as lit draws them. */
export type Sentence = unknown;

/**
 * A sentence of the table of words, with figures in the places of its numbers. Another sentence is another
 * one, and not this one with its words pushed along: that would be a layout shift.
 */
export function sentence(
  figures: (Figure | string)[],
  say: (...places: string[]) => string,
): Sentence {
  const said = say(...figures.map((_, i) => `\u0000${i}\u0000`));
  const parts = said.split('\u0000').map((part, i) => (i % 2 ? figures[Number(part)]! : part));
  return keyed(parts.map(textOf).join(''), parts);
}

const textOf = (part: Figure | string) => (typeof part === 'string' ? part : part.text);

/** Reads as the text around it; its box is taller than a line only for the finger. */
export const figureStyles = css`
  .figure {
    all: unset;
    margin-block: -0.25rem;
    padding-block: 0.25rem;
    text-decoration: underline dotted color-mix(in srgb, currentColor 40%, transparent);
    text-decoration-thickness: 1px;
    text-underline-offset: 0.2em;
    white-space: nowrap;
    touch-action: manipulation;
    cursor: help;
  }
  .figure:hover,
  .figure[aria-describedby] {
    text-decoration: underline solid;
  }
`;
