import { Format } from '../../text/format';
import { type Strings, strings } from '../../text/strings';
import type { Controller } from '../controller';
import type { PageState, Store } from '../state';

/** What each part of the page gets: the state to draw, the words, and whom to tell about events. */
export interface Context {
  state: PageState;
  t: Strings;
  format: Format;
  store: Store;
  controller: Controller;
}

const formats = { ko: new Format('ko'), en: new Format('en') };

export function contextFor(store: Store, controller: Controller): Context {
  const { state } = store;
  return { state, t: strings[state.lang], format: formats[state.lang], store, controller };
}
