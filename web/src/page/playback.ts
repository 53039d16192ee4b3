import { frameCount, momentAt } from '../record/moment';
import type { RunRecord } from '../record/record';
import { exportRun, parseRun } from '../record/run-file';
import type { Controller } from './controller';
import type { Speed } from './pace';
import { shareUrl } from './share';
import { newestFrame, type Store } from './state';

/** The transport: what it does to the run, and which moment of it is on show. */
export class Playback {
  constructor(
    private readonly store: Store,
    private readonly controller: Controller,
  ) {}

  play(): void {
    const { state } = this.store;
    const speed = state.speed === 'step' ? 'real' : state.speed;
    this.store.update({ paused: false, speed, frame: null, layersShown: null });
    if (state.phase === 'idle') void this.controller.run();
    else this.controller.pace.changed();
  }

  pause(): void {
    this.store.update({ paused: true });
    this.controller.pace.changed();
  }

  setSpeed(speed: Speed): void {
    this.store.update({ speed, paused: speed === 'step' });
    this.controller.pace.changed();
  }

  reset(): void {
    this.controller.stop();
    this.store.update({ run: null, frame: null, layersShown: null, look: null, headMap: null });
    this.store.update({ selected: null });
  }

  seek(frame: number): void {
    const { run } = this.store.state;
    if (!run) return;
    const last = frameCount(run) - 1;
    this.store.update({ frame: frame >= last ? null : Math.max(0, frame), layersShown: null });
  }

  /** The next moment: of the record when there is one, and else of the engine. */
  stepToken(): void {
    const { state } = this.store;
    const { run, frame } = state;
    if (run && frame !== null && frame < newestFrame(run)) {
      this.seek(frame + 1);
      return;
    }
    this.store.update({ paused: true, frame: null, layersShown: null });
    if (state.phase === 'idle') {
      if (!run) void this.controller.run();
    } else this.controller.pace.grant();
  }

  /** One layer more of the newest pass; after its last layer, the first one of the next pass. */
  stepLayer(): void {
    const { state } = this.store;
    const { layersShown, model } = state;
    if (layersShown !== null && model) {
      const next = layersShown + 1;
      this.store.update({ layersShown: next >= model.layers ? null : next });
      return;
    }
    this.controller.onNextFrame = () => this.showFirstLayer();
    const { run, frame } = state;
    this.stepToken();
    const scrubbed = run !== null && frame !== null;
    if (scrubbed) this.controller.frameArrived();
  }

  get atEnd(): boolean {
    const { run, frame, phase } = this.store.state;
    return phase === 'idle' && run !== null && (frame === null || frame >= newestFrame(run));
  }

  save(): void {
    const { run } = this.store.state;
    if (!run) return;
    const url = URL.createObjectURL(new Blob([exportRun(run)], { type: 'application/json' }));
    const link = Object.assign(document.createElement('a'), {
      href: url,
      download: 'kvscope-run.json',
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  /** The link is in the address bar as well, where copying is not allowed. */
  async share(): Promise<void> {
    const url = shareUrl(this.store.state);
    history.replaceState(null, '', url);
    await navigator.clipboard?.writeText(url).catch(() => {});
    this.store.update({ shared: true });
    setTimeout(() => this.store.update({ shared: false }), 2000);
  }

  async open(file: Blob): Promise<void> {
    this.controller.stop();
    try {
      const run = parseRun(await file.text());
      this.store.update({ run, frame: null, layersShown: null, look: null, replayError: null });
      this.store.update({ ...firstSpot(run), headMap: null, selected: null, proposed: null });
    } catch (error) {
      this.store.update({ replayError: (error as Error).message });
    }
  }

  private showFirstLayer(): void {
    const { run, frame } = this.store.state;
    if (!run) return;
    const moment = momentAt(run, frame ?? newestFrame(run));
    // The first token was chosen without a pass: there is no layer to step through.
    const hasPass = moment.freshFrom < moment.cached;
    this.store.update({ layersShown: hasPass ? 1 : null });
  }
}

/** A head that was looked at in the run's last pass, so that there is something to see. */
function firstSpot(run: RunRecord): { layer: number; head: number } {
  const { asker } = momentAt(run, newestFrame(run));
  const { layer, head } = run.looks.filter(({ position }) => position === asker).at(-1) ??
    run.looks.at(-1) ?? { layer: run.model.layers - 1, head: 0 };
  return { layer, head };
}
