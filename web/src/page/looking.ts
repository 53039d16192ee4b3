import { MapReader } from '../record/head-map';
import type { Spot } from '../record/lens';
import type { Look } from '../record/looks';
import { momentAt } from '../record/moment';
import type { RunRecord } from '../record/record';
import { opensByItself } from '../views/heads/heads';
import type { Controller } from './controller';
import { newestFrame, type PageState, type Store } from './state';

const NOTHING = { asker: -1, cached: 0 };

/** Keeps what is looked into at the moment and column on show, whenever the engine has time for it. */
export class Looking {
  private readonly wanted = { look: '', opened: '' };
  private run: RunRecord | null = null;
  private readonly maps = new MapReader((headMap) => this.store.update({ headMap }));

  constructor(
    private readonly store: Store,
    private readonly controller: Controller,
  ) {}

  follow(state: PageState): void {
    const { run, layer, head, frame, phase, paused, speed } = state;
    if (run !== this.run) Object.assign(this.wanted, { look: '', opened: '' });
    this.run = run;
    // At full speed the engine is left alone: its times are what is shown.
    const rests = phase === 'idle' || paused || speed !== 'real';
    const { asker, cached } = run && rests ? momentAt(run, frame ?? newestFrame(run)) : NOTHING;
    this.maps.follow(this.controller.lens, run, isMapOpen(state) ? asker : -1);
    if (!run || asker < 0) return;
    this.want('look', run, { position: asker, layer, head });
    const position = openedPosition(state.selected, asker, cached);
    if (position >= 0) this.want('opened', run, { position, layer, head });
  }

  private want(name: 'look' | 'opened', run: RunRecord, spot: Spot): void {
    const key = `${spot.position} ${spot.layer} ${spot.head}`;
    if (key === this.wanted[name]) return;
    this.wanted[name] = key;
    const isNew = () => run === this.run && key === this.wanted[name];
    this.controller.lens
      .look(run, spot, name === 'opened')
      .then((look: Look | null) => isNew() && this.store.update({ [name]: look }))
      .catch(() => {
        if (isNew()) this.wanted[name] = '';
      });
  }
}

export function isMapOpen({ mapOpen, run, model }: PageState): boolean {
  const shape = run?.model ?? model;
  return mapOpen ?? (shape !== null && opensByItself(shape));
}

/** The chosen column, or the one that asks; without a cache there is none to look into. */
export function openedPosition(selected: number | null, asker: number, cached: number): number {
  return selected !== null && selected < cached ? selected : Math.min(asker, cached - 1);
}
