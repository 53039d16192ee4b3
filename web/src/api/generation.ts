import type { EngineGenerateOptions } from '../worker/engine';
import type { Handle } from '../worker/protocol';
import type { EngineHost } from './engine-host';
import type { CountedStep, Ledger } from './ledger';
import type { Pace } from './pace';
import type { GenerateOptions, Step } from './types';

const MAX_LOOKAHEAD_STEPS = 64;
/** Work per message: under a frame, and two or three steps of a model that makes 200 a second. */
const MESSAGE_BUDGET_MS = 12;
/** One is worked on while the next lies ready: the engine need not wait for its answer to be read. */
const MAX_REQUESTS = 2;

function engineOptions(options: GenerateOptions): EngineGenerateOptions {
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
  /** Not answered yet, in the order in which they will be. */
  private requests: Request[] = [];
  /** take() waits for the first step of the first request. */
  private awaiting = false;
  private failure: { error: unknown } | undefined;
  private taken = 0;
  /** Go out with the first request: what asks for a step starts the generation too. */
  private unsent: EngineGenerateOptions | undefined;

  constructor(
    private readonly host: EngineHost,
    private readonly session: Handle,
    private readonly options: GenerateOptions,
    private readonly ledger: Ledger,
    private readonly pace: Pace,
  ) {
    this.unsent = engineOptions(options);
    this.finished = new Promise((resolve) => {
      this.resolveFinished = resolve;
    });
  }

  /** The next step; undefined after the last one. */
  async take(): Promise<Step | undefined> {
    while (!this.done && this.ahead.length === 0) {
      if (this.failure) return this.fail(this.failure.error);
      if (this.requests.length === 0) this.ask(1 + Math.ceil(this.lookahead() / 2));
      this.askAhead(1);
      this.awaiting = true;
      await this.requests[0]!.arrived;
      this.awaiting = false;
    }
    const next = this.ahead.shift();
    if (this.done || !next) return undefined;
    const { step } = next;
    this.taken++;
    this.pace.tookStep(step.ms);
    this.ledger.count(next);
    if (step.finish !== null) this.finish();
    else if (this.options.signal?.aborted) {
      step.text += await this.end();
      step.finish = 'abort';
    } else this.askAhead();
    return step;
  }

  /** Stops the engine after the step taken last. Gives the text held back until then. */
  async end(): Promise<string> {
    if (this.done) return '';
    this.finish();
    if (this.unsent) return '';
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
    this.pace.wasAsked();
    const awaited = this.awaiting && this.ahead.length === 0 ? 1 : 0;
    if (this.done || this.ahead.length + this.askedSteps() <= awaited) return;
    this.ahead.length = 0;
    this.requests.forEach((request, i) => {
      request.keepSteps = i === 0 ? awaited : 0;
    });
    this.requests.length = awaited;
    this.pace.ranAheadInVain();
    const args = { session: this.session, steps: this.taken + awaited };
    await this.host.call('generateRewind', args);
  }

  /** Ends it without asking the engine, whose session is going away. */
  finish(): void {
    this.done = true;
    this.resolveFinished();
  }

  private ask(maxSteps: number): void {
    const begin = this.unsent;
    this.unsent = undefined;
    const args = { session: this.session, maxSteps, budgetMs: MESSAGE_BUDGET_MS, begin };
    const reply = this.host.call('generateNext', args);
    const request: Request = { keepSteps: maxSteps, arrived: Promise.resolve() };
    const answered = () => {
      if (this.requests[0] === request) this.requests.shift();
    };
    request.arrived = reply.then(
      (batch) => {
        answered();
        this.ahead.push(...this.ledger.steps(batch).slice(0, request.keepSteps));
      },
      (error) => {
        answered();
        if (begin) this.unsent = begin; // it did not begin: there is nothing to end
        // What was asked for beyond the last step has no answer.
        if (request.keepSteps > 0 && !this.isLastAhead()) this.failure = { error };
      },
    );
    this.requests.push(request);
  }

  /** The engine goes on while the loop is busy; awaited: of the steps asked for, the loop's own. */
  private askAhead(awaited = 0): void {
    const limit = this.lookahead();
    // Not for every single step that is taken: half of what there may be, at a time.
    const more = Math.ceil(limit / 2);
    if (this.failure || this.isLastAhead() || limit === 0 || !this.pace.isQuick) return;
    while (
      this.requests.length < MAX_REQUESTS &&
      this.ahead.length + this.askedSteps() - awaited + more <= limit
    )
      this.ask(more);
  }

  private askedSteps(): number {
    return this.requests.reduce((sum, { keepSteps }) => sum + keepSteps, 0);
  }

  private isLastAhead(): boolean {
    return this.ahead.at(-1)?.step.finish != null;
  }

  private async fail(error: unknown): Promise<never> {
    await this.end().catch(() => {});
    throw error;
  }

  private lookahead(): number {
    if (this.options.lookahead !== undefined) return this.options.lookahead;
    return this.pace.mayRunAhead ? MAX_LOOKAHEAD_STEPS : 0;
  }
}
