import type { Spot } from '../record/lens';
import type { Look } from '../record/looks';
import { momentAt } from '../record/moment';
import type { RunRecord } from '../record/record';
import type { Controller } from './controller';
import { newestFrame, type PageState, type Store } from './state';

/** Keeps what is looked into at the moment and column on show, whenever the engine has time for it. */
export class Looking {
  private readonly wanted = { look: '', opened: '' };
  private run: RunRecord | null = null;

  constructor(
    private readonly store: Store,
    private readonly controller: Controller,
  ) {}

  follow(state: PageState): void {
    const { run, layer, head, frame, phase, paused, speed } = state;
    if (run !== this.run) Object.assign(this.wanted, { look: '', opened: '' });
    this.run = run;
    // At full speed the engine is left alone: its times are what is shown.
    if (!run || (phase !== 'idle' && !paused && speed === 'real')) return;
    const { asker, cached } = momentAt(run, frame ?? newestFrame(run));
    if (asker < 0) return;
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

/** The chosen column, or the one that asks; without a cache there is none to look into. */
export function openedPosition(selected: number | null, asker: number, cached: number): number {
  return selected !== null && selected < cached ? selected : Math.min(asker, cached - 1);
}
