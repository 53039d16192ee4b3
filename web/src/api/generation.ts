import type { EngineGenerateOptions } from '../worker/engine';
import type { Handle } from '../worker/protocol';
import type { EngineHost } from './engine-host';
import { KvScopeError } from './errors';
import type { CountedStep, Ledger } from './ledger';
import type { GenerateOptions, Step } from './types';

/** The engine starts to run ahead once so many steps were taken with nothing asked in between. */
const STEPS_BEFORE_LOOKAHEAD = 8;
const MAX_LOOKAHEAD_STEPS = 64;
/** Work per message: well under a frame, and longer than what a message costs. */
const LOOKAHEAD_BUDGET_MS = 4;

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

/**
 * One run of decode steps, taken one by one. A slow model is asked for a step at a time; a model
 * that takes microseconds runs a few ahead, since a message for each would cost more than the step.
 */
export class Generation {
  /** The loop waits for a step at this moment, as opposed to being busy with the last one. */
  waiting = false;
  readonly finished: Promise<void>;
  private resolveFinished!: () => void;
  private done = false;
  private readonly ahead: CountedStep[] = [];
  private taken: Step | undefined;
  private undisturbed = 0;

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
    if (this.done) return undefined;
    if (this.ahead.length === 0) await this.compute();
    const next = this.ahead.shift();
    if (this.done || !next) return undefined;
    const { step } = next;
    this.taken = step;
    this.undisturbed++;
    this.ledger.count(next);
    if (step.finish !== null) this.finish();
    else if (this.options.signal?.aborted) {
      step.text += await this.end();
      step.finish = 'abort';
    }
    return step;
  }

  /** Stops the engine. What it made ahead of the loop is dropped. Gives the text held back. */
  async end(): Promise<string> {
    if (this.done) return '';
    this.finish();
    const keepTokens = this.ahead.length > 0 && this.taken ? this.taken.position + 1 : null;
    const { text, state } = await this.host.call('generateEnd', {
      session: this.session,
      keepTokens,
    });
    this.ledger.set(state);
    return text;
  }

  /** Before the session is looked into: the engine must stand where the loop stands. */
  disturb(): void {
    this.undisturbed = 0;
    if (this.ahead.length === 0) return;
    throw new KvScopeError(
      'bad-state',
      `The engine is ${this.ahead.length} steps ahead of the loop. Call generate({ lookahead: 0 }) to look inside between steps.`,
    );
  }

  /** Ends it without asking the engine, whose session is going away. */
  finish(): void {
    this.done = true;
    this.resolveFinished();
  }

  private async compute(): Promise<void> {
    try {
      const batch = await this.host.call('generateNext', {
        session: this.session,
        maxSteps: 1 + this.lookahead(),
        budgetMs: LOOKAHEAD_BUDGET_MS,
      });
      this.ahead.push(...this.ledger.steps(batch));
    } catch (error) {
      await this.end().catch(() => {});
      throw error;
    }
  }

  private lookahead(): number {
    if (this.options.lookahead !== undefined) return this.options.lookahead;
    return this.undisturbed < STEPS_BEFORE_LOOKAHEAD ? 0 : MAX_LOOKAHEAD_STEPS - 1;
  }
}
