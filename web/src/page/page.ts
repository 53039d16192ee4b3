// The page: one state, drawn by lit; one controller, which owns the engine.
import { render } from 'lit';
import './page.css';
import { askable } from '../views/askable';
import type { Asking } from '../views/asking';
import { app } from './app';
import { Controller } from './controller';
import { acceptDrops } from './drop';
import { Following } from './following';
import { Looking } from './looking';
import { fileName } from './model-title';
import { Offline } from './offline';
import { contextFor } from './parts/context';
import { Playback } from './playback';
import { Racing } from './racing';
import { Reuse } from './reuse';
import { FIRST_PROMPT } from './samples';
import { firstLang, readShared, type Shared, showSection } from './share';
import { initialState, type PageState, Store } from './state';
import { Tour } from './tour';

const root = document.getElementById('app')!;
const shared = readShared(location.search);

function draw(state: PageState): void {
  const context = contextFor(actors);
  if (!isDrawn) root.replaceChildren(); // what index.html has stands there until now
  isDrawn = true;
  sayLanguage(state.lang, context.t.title);
  render(app(context), root);
  following.follow(root);
  if (!figures) {
    figures = askable(root.querySelector('main')!, () => store.state.lang);
    figures.hostConnected();
  }
  figures.hostUpdated();
  showLoading(state);
  looking.follow(state);
  reuse.follow(state);
}

/** Only when it changes: setting `lang`, even to what it is, has the browser style every element anew. */
function sayLanguage(lang: string, title: string): void {
  if (document.documentElement.lang !== lang) document.documentElement.lang = lang;
  if (document.title !== title) document.title = title;
}

/**
 * A load can be asked for from further down: its progress should be seen. The first one is asked for by
 * nobody, and scrolling to it would have Tab go on from there (Chromium 150), past the skip link.
 */
function showLoading({ load }: PageState): void {
  const isLoading = load.status === 'loading';
  if (isLoading && !wasLoading && loads++ > 0) {
    root.querySelector('.model-line')?.scrollIntoView({ block: 'nearest' });
  }
  wasLoading = isLoading;
}

let isDrawn = false;
let wasLoading = false;
let loads = 0;
let figures: Asking | undefined;

const following = new Following();
const store = new Store(initialState(firstLang(shared.lang)), draw);
const controller = new Controller(store);
const playback = new Playback(store, controller);
const racing = new Racing(store, controller);
const tour = new Tour({ store, controller, playback, racing });
const offline = new Offline(store);
const actors = { store, controller, playback, racing, tour, offline };
const reuse = new Reuse(store, controller);
const looking = new Looking(store, controller);

const { t } = contextFor(actors);
store.state.prompt = shared.prompt ?? FIRST_PROMPT[store.state.lang];
// The engine's worker starts while the page is drawn, with the next frame.
void openShared(shared);
acceptDrops(store, controller);

/** Loads the model, and shows what a link asks for. */
async function openShared({ src, settings, frame, layer, head, view }: Shared): Promise<void> {
  await controller.load(
    src
      ? { source: src, label: fileName(src), kind: 'other' }
      : { source: undefined, label: t.modelDefault, kind: 'default' },
  );
  const { model } = store.state;
  if (!model) return;
  if (Object.keys(settings).length > 0) controller.setSettings(settings);
  if (frame !== null && !store.state.chat) {
    await controller.run();
    playback.seek(frame);
  }
  if (layer !== null && layer < model.layers) store.update({ layer });
  if (head !== null && head < model.heads) store.update({ head });
  if (view) showSection(view);
}
