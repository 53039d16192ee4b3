import type { EngineGenerateOptions } from '../worker/engine';
import type { Handle } from '../worker/protocol';
import type { EngineHost } from './engine-host';
import type { CountedStep, Ledger } from './ledger';
import type { GenerateOptions, Step } from './types';

/** The engine starts to run ahead once so many steps were taken with nothing asked in between. */
const STEPS_BEFORE_LOOKAHEAD = 8;
const MAX_STEPS_BEFORE_LOOKAHEAD = 512;
const MAX_LOOKAHEAD_STEPS = 64;
/** Work per message: under a frame, and two or three steps of a model that makes 200 a second. */
const MESSAGE_BUDGET_MS = 12;
/** A step this long hides a message anyway, and an early end would have to wait for it. */
const QUICK_STEP_MS = 16;

export function engineOptions(options: GenerateOptions): EngineGenerateOptions {
  return {
    maxTokens: options.maxTokens ?? 256,
    temperature: options.temperature ?? 0,
    topK: options.topK ?? 0,
    topP: options.topP ?? 1,
    minP: options.minP ?? 0,
    repeatPenalty: options.repeatPenalty ?? 1,
    seed: options.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]!,
    stop: options.stop ?? [],
    ignoreEos: options.ignoreEos ?? false,
  };
}

/** Steps that the worker was asked for. */
interface Request {
  /** How many of them count; the engine was told to drop the others again. */
  keepSteps: number;
  arrived: Promise<void>;
}

/**
 * One run of decode steps, taken one by one. The engine runs a few ahead: several quick steps share
 * a message, and the next ones are made while the loop is busy. Whoever looks at the session never
 * sees that: before anything is asked of it the engine goes back to the step taken last.
 */
export class Generation {
  /** The loop waits for a step at this moment, as opposed to being busy with the last one. */
  waiting = false;
  readonly finished: Promise<void>;
  private resolveFinished!: () => void;
  private done = false;
  private readonly ahead: CountedStep[] = [];
  private request: Request | undefined;
  /** take() waits for the request's first step. */
  private awaiting = false;
  private failure: { error: unknown } | undefined;
  private taken = 0;
  private undisturbed = 0;
  private stepsBeforeLookahead = STEPS_BEFORE_LOOKAHEAD;

  constructor(
    private readonly host: EngineHost,
    private readonly session: Handle,
    private readonly options: GenerateOptions,
    private readonly ledger: Ledger,
  ) {
    this.finished = new Promise((resolve) => {
      this.resolveFinished = resolve;
    });
  }

  /** The next step; undefined after the last one. */
  async take(): Promise<Step | undefined> {
    while (!this.done && this.ahead.length === 0) {
      if (this.failure) return this.fail(this.failure.error);
      this.request ??= this.ask(1 + this.lookahead());
      this.awaiting = true;
      await this.request.arrived;
      this.awaiting = false;
    }
    const next = this.ahead.shift();
    if (this.done || !next) return undefined;
    const { step } = next;
    this.taken++;
    this.undisturbed++;
    this.ledger.count(next);
    if (step.finish !== null) this.finish();
    else if (this.options.signal?.aborted) {
      step.text += await this.end();
      step.finish = 'abort';
    } else this.askAhead(step);
    return step;
  }

  /** Stops the engine after the step taken last. Gives the text held back until then. */
  async end(): Promise<string> {
    if (this.done) return '';
    this.finish();
    const args = { session: this.session, steps: this.taken };
    const { text, state } = await this.host.call('generateEnd', args);
    this.ledger.set(state);
    return text;
  }

  /**
   * Has the engine stand where the loop stands, or where it will once it has the step that it
   * waits for. Whatever is asked of the worker right after this finds it there.
   */
  async settle(): Promise<void> {
    this.undisturbed = 0;
    const { request } = this;
    const awaited = this.awaiting && this.ahead.length === 0 ? 1 : 0;
    const isAhead = this.ahead.length > 0 || (request && request.keepSteps > awaited);
    if (this.done || !isAhead) return;
    this.ahead.length = 0;
    if (request) request.keepSteps = awaited;
    if (!awaited) this.request = undefined;
    // Whoever looks in every now and then should not have to pay for it each time.
    this.stepsBeforeLookahead = Math.min(2 * this.stepsBeforeLookahead, MAX_STEPS_BEFORE_LOOKAHEAD);
    const args = { session: this.session, steps: this.taken + awaited };
    await this.host.call('generateRewind', args);
  }

  /** Ends it without asking the engine, whose session is going away. */
  finish(): void {
    this.done = true;
    this.resolveFinished();
  }

  private ask(maxSteps: number): Request {
    const args = { session: this.session, maxSteps, budgetMs: MESSAGE_BUDGET_MS };
    const reply = this.host.call('generateNext', args);
    const request: Request = { keepSteps: maxSteps, arrived: Promise.resolve() };
    request.arrived = reply.then(
      (batch) => {
        if (this.request === request) this.request = undefined;
        this.ahead.push(...this.ledger.steps(batch).slice(0, request.keepSteps));
      },
      (error) => {
        if (this.request === request) this.request = undefined;
        if (request.keepSteps > 0) this.failure = { error };
      },
    );
    return request;
  }

  /** The engine goes on while the loop is busy with the step that it has got now. */
  private askAhead({ ms }: Step): void {
    const limit = this.lookahead();
    const room = limit - this.ahead.length;
    const isLast = this.ahead.at(-1)?.step.finish != null;
    if (this.request || this.failure || isLast || ms > QUICK_STEP_MS) return;
    // Not for every single step that is taken: half of what there may be, at a time.
    if (room > 0 && room >= limit / 2) this.request = this.ask(room);
  }

  private async fail(error: unknown): Promise<never> {
    await this.end().catch(() => {});
    throw error;
  }

  private lookahead(): number {
    if (this.options.lookahead !== undefined) return this.options.lookahead;
    return this.undisturbed < this.stepsBeforeLookahead ? 0 : MAX_LOOKAHEAD_STEPS;
  }
}
