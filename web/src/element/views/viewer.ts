import type { TemplateResult } from 'lit';
import type { Model } from '../../api/index';
import type { RunRecord } from '../../record/record';
import type { Lang } from '../../text/format';

export interface ViewScene {
  run: RunRecord;
  lang: Lang;
  /** Goes up with every change: a record grows in place. */
  revision: number;
  /** The engine is at work on the run. */
  busy: boolean;
}

/** Draws one view of a run. */
export interface Viewer {
  render(scene: ViewScene): TemplateResult;
  /** Takes the place of the plain run: prefill and decode. */
  perform?(run: RunRecord, signal: AbortSignal): Promise<void>;
  close(): void;
}

export type MakeViewer = (model: Model, redraw: () => void) => Viewer;

type ViewModule = Promise<{ makeViewer: MakeViewer }>;

/** Each is a file of its own that only an element with this view fetches. `tokens` needs none. */
export const viewModules: Record<string, () => ViewModule> = {
  full: () => import('./full'),
  cache: () => import('./cache'),
  attention: () => import('./attention'),
  projections: () => import('./projections'),
  race: () => import('./race'),
  cost: () => import('./cost'),
};
