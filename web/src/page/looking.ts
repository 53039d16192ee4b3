import { momentAt } from '../record/moment';
import type { Controller } from './controller';
import { newestFrame, type PageState, type Store } from './state';

/** Keeps `look` at what the moment on show asked, whenever the engine has time for it. */
export class Looking {
  private wanted = '';

  constructor(
    private readonly store: Store,
    private readonly controller: Controller,
  ) {}

  follow(state: PageState): void {
    const { run, layer, head, frame, phase, paused, speed } = state;
    if (!run) return;
    // At full speed the engine is left alone: its times are what is shown.
    if (phase !== 'idle' && !paused && speed === 'real') return;
    const { asker } = momentAt(run, frame ?? newestFrame(run));
    const key = `${run.prefill?.ms} ${run.prompt.text} ${asker} ${layer} ${head}`;
    if (asker < 0 || key === this.wanted) return;
    this.wanted = key;
    this.controller.lens
      .look(run, { position: asker, layer, head })
      .then((look) => key === this.wanted && this.store.update({ look }))
      .catch(() => {
        this.wanted = '';
      });
  }
}
