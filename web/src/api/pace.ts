const FIRST_STEPS_BEFORE_LOOKAHEAD = 4;
const MAX_STEPS_BEFORE_LOOKAHEAD = 512;
/** A step this long hides a message anyway, and an early end would have to wait for it. */
const QUICK_STEP_MS = 16;

/** Whether the engine may run ahead of a session's loop: what one run learns, the next begins with. */
export class Pace {
  /** The last step was short enough for the cost of a message to be felt. */
  isQuick = false;
  private undisturbed = 0;
  private stepsBeforeLookahead = FIRST_STEPS_BEFORE_LOOKAHEAD;

  /** So many steps were taken with nothing asked in between. */
  get mayRunAhead(): boolean {
    return this.undisturbed >= this.stepsBeforeLookahead;
  }

  tookStep(ms: number): void {
    this.undisturbed++;
    this.isQuick = ms <= QUICK_STEP_MS;
  }

  wasAsked(): void {
    this.undisturbed = 0;
  }

  /** Whoever looks in every now and then should not have to pay for it each time. */
  ranAheadInVain(): void {
    this.stepsBeforeLookahead = Math.min(2 * this.stepsBeforeLookahead, MAX_STEPS_BEFORE_LOOKAHEAD);
  }
}
