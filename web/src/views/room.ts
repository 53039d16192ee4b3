import { html, type TemplateResult } from 'lit';

/** A token wider than nearly all others, for texts that name one. */
export const LONG_TOKEN = 'mmmmmm';

/**
 * What changes while a run streams, with the room of the longest text that may stand there: at any
 * width, nothing below or beside it moves. Styles: room.css.
 */
export function room(longest: string, content: unknown): TemplateResult {
  return html`<span class="room" data-room=${longest}><span>${content}</span></span>`;
}

/*
 * Figures set flush right are bound with .textContent: a new number takes the place of the old one.
 * Bound as text, a number with one digit more has its beginning elsewhere, and counts as moved.
 */

export const longestOf = (...texts: string[]): string =>
  texts.reduce((longest, text) => (text.length > longest.length ? text : longest));
