import type { ReactiveElement } from 'lit';
import type { Ask } from '../views/figure';
import { languageOf } from './words';

/** Words with a number among them, which may be asked where it comes from. */
export type Say = (words: (number: string) => string, number: string, ask: Ask) => unknown;

export const plainly: Say = (words, number) => words(number);

/** The figures of the element's own line answer as those of the views do. Fetched, so not before there are any. */
export async function withAnswers(element: ReactiveElement): Promise<Say> {
  const { askable, figure, sentence } = await import('../views/askable');
  element.addController(askable(element.renderRoot, () => languageOf(element)));
  return (words, number, ask) => sentence([figure(number, ask)], words);
}
