export type Speed = 'real' | 'slow' | 'step';

/** Slow enough to read what a step does. */
const SLOW_STEP_MS = 900;

/** Lets decode steps through: as fast as they come, one now and then, or one when it is asked for. */
export class Pace {
  private wake: (() => void) | undefined;
  private granted = 0;

  constructor(private readonly ask: () => { speed: Speed; paused: boolean }) {}

  /** Resolves when the next step may be taken. */
  async next(signal: AbortSignal): Promise<void> {
    for (;;) {
      const { speed, paused } = this.ask();
      if (signal.aborted) return;
      if (this.granted > 0) {
        this.granted--;
        return;
      }
      if (!paused && speed === 'real') return;
      const timedOut = await this.wait(paused ? Infinity : SLOW_STEP_MS, signal);
      if (timedOut) return;
    }
  }

  /** One step more, though it is paused. */
  grant(): void {
    this.granted++;
    this.wake?.();
  }

  /** What ask() answers has changed. */
  changed(): void {
    this.wake?.();
  }

  reset(): void {
    this.granted = 0;
  }

  private wait(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(ms) ? setTimeout(() => end(true), ms) : undefined;
      const end = (timedOut: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.wake = undefined;
        resolve(timedOut);
      };
      const onAbort = () => end(false);
      this.wake = () => end(false);
      signal.addEventListener('abort', onAbort);
    });
  }
}
