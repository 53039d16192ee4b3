import type { ErrorCode } from '../api/errors';
import type { ChatMessage, KvType, ModelInfo, Progress } from '../api/types';
import type { HeadMap } from '../record/head-map';
import type { Look } from '../record/looks';
import { frameCount } from '../record/moment';
import type { RaceRecord } from '../record/race';
import type { RunRecord, RunSettings } from '../record/record';
import type { Lang } from '../text/format';
import type { Speed } from './pace';

export interface PageError {
  code: ErrorCode;
  message: string;
}

export type LoadState =
  | { status: 'none' }
  | {
      status: 'loading';
      kind: PageState['modelKind'];
      label: string;
      phase: Progress['phase'];
      loaded: number;
      total: number;
      bytesPerSecond: number;
    }
  | { status: 'failed'; label: string; error: PageError };

export interface PageSettings extends RunSettings {
  kvType: KvType;
  kvCache: boolean;
}

/** Everything the page shows. Plain data: what owns the engine is the controller. */
export interface PageState {
  lang: Lang;
  online: boolean;
  /** A newer version of the page is kept and waits to be started. */
  newVersion: boolean;
  chooserOpen: boolean;
  dragging: boolean;
  load: LoadState;
  model: ModelInfo | null;
  /** A model that the page has its own words for; other files are called as they call themselves. */
  modelKind: 'default' | 'real' | 'other';
  chat: boolean;
  prompt: string;
  settings: PageSettings;
  /** The turns before the newest run. */
  history: ChatMessage[];
  /** 'prefill' and 'decode' while the engine works. */
  phase: 'idle' | 'prefill' | 'decode';
  run: RunRecord | null;
  runError: PageError | null;
  replayError: string | null;
  speed: Speed;
  paused: boolean;
  /** The moment of the run on show; null: the newest. */
  frame: number | null;
  /** Layers of the newest pass on show; null: all. */
  layersShown: number | null;
  /** Where the stage looks in. */
  layer: number;
  head: number;
  look: Look | null;
  /** All heads of the question that was asked last, once they have been read. */
  headMap: HeadMap | null;
  /** Whether the map of all heads is open; null: the reader has not said. */
  mapOpen: boolean | null;
  proposed: { layer: number; head: number; by: 'model' | 'page' } | null;
  selected: number | null;
  /** What the projections show: the chosen column's pass. */
  opened: Look | null;
  race: RaceRecord | null;
  racing: boolean;
  /** The step of the guided tour; null: there is none. */
  tour: number | null;
  /** How many tokens of the edited prompt are still in the cache. */
  reusable: { tokens: number; of: number } | null;
  shared: boolean;
  /** Goes up with every change: records grow in place. */
  revision: number;
  qBytesDiscarded: number;
  /** Said once by the polite live region. */
  announcement: string;
}

/** Facts are told best by the most probable token; a conversation loops without some chance. */
export const SETTINGS_FOR: Record<
  'complete' | 'chat',
  Pick<PageSettings, 'temperature' | 'minP' | 'maxTokens'>
> = {
  complete: { temperature: 0, minP: 0.05, maxTokens: 128 },
  chat: { temperature: 0.7, minP: 0.1, maxTokens: 256 },
};

export function initialState(lang: Lang): PageState {
  return {
    lang,
    online: navigator.onLine,
    newVersion: false,
    chooserOpen: false,
    dragging: false,
    load: { status: 'none' },
    model: null,
    modelKind: 'other',
    chat: false,
    prompt: '',
    settings: {
      ...SETTINGS_FOR.complete,
      seed: 1,
      ignoreEos: false,
      kvType: 'f16',
      kvCache: true,
    },
    history: [],
    phase: 'idle',
    run: null,
    runError: null,
    replayError: null,
    speed: 'real',
    paused: false,
    frame: null,
    layersShown: null,
    layer: 0,
    head: 0,
    look: null,
    headMap: null,
    mapOpen: null,
    proposed: null,
    selected: null,
    opened: null,
    race: null,
    racing: false,
    tour: null,
    reusable: null,
    shared: false,
    revision: 0,
    qBytesDiscarded: 0,
    announcement: '',
  };
}

export const newestFrame = (run: RunRecord): number => frameCount(run) - 1;

/** Holds the state; listeners draw it, once a frame however often it changed. */
export class Store {
  private scheduled = false;

  constructor(
    readonly state: PageState,
    private readonly draw: (state: PageState) => void,
  ) {}

  update(change: Partial<PageState> = {}): void {
    Object.assign(this.state, change);
    this.state.revision++;
    if (this.scheduled) return;
    this.scheduled = true;
    const done = () => this.drawNow();
    requestAnimationFrame(done);
    // A hidden tab gets no frames; the timer keeps it up to date all the same.
    if (document.hidden) setTimeout(done, 50);
  }

  /** What has changed and is not drawn yet: for what should not wait until the next frame begins. */
  drawNow(): void {
    if (!this.scheduled) return;
    this.scheduled = false;
    this.draw(this.state);
  }
}
