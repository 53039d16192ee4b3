import { Format } from '../../text/format';
import { type Strings, strings } from '../../text/strings';
import { type ViewStrings, viewStrings } from '../../text/views/strings';
import type { Controller } from '../controller';
import type { Offline } from '../offline';
import type { Playback } from '../playback';
import type { Racing } from '../racing';
import type { PageState, Store } from '../state';
import type { Tour } from '../tour';

/** What each part of the page gets: the state to draw, the words, and whom to tell about events. */
export interface Context {
  state: PageState;
  t: Strings;
  /** The words of the views. */
  v: ViewStrings;
  format: Format;
  store: Store;
  controller: Controller;
  playback: Playback;
  racing: Racing;
  tour: Tour;
  offline: Offline;
}

/** What acts on the page's events. */
export type Actors = Pick<
  Context,
  'store' | 'controller' | 'playback' | 'racing' | 'tour' | 'offline'
>;

const formats = { ko: new Format('ko'), en: new Format('en') };

export function contextFor(actors: Actors): Context {
  const { state } = actors.store;
  const { lang } = state;
  return { state, t: strings[lang], v: viewStrings[lang], format: formats[lang], ...actors };
}
