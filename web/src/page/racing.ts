import { runRace } from '../record/race';
import { newRun, type RunRecord } from '../record/record';
import type { Controller } from './controller';
import type { Store } from './state';

/** Runs the race of the page: of the run on show, or of the prompt in the box. */
export class Racing {
  private abort: AbortController | undefined;

  constructor(
    private readonly store: Store,
    private readonly controller: Controller,
  ) {}

  async start(tokens: number): Promise<void> {
    const { model } = this.controller;
    if (!model || this.store.state.phase !== 'idle' || this.store.state.racing) return;
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.store.update({ racing: true, race: null, runError: null });
    try {
      const run = this.store.state.run ?? (await this.runOfPrompt());
      const room = run.session.contextLength - run.prompt.tokens.length;
      const race = await runRace(model, run, Math.min(tokens, room), signal, (race) =>
        this.store.update({ race }),
      );
      run.uncached = race.uncached;
      this.store.update({ race });
    } catch (error) {
      if (!signal.aborted) this.controller.runFailed(error);
    } finally {
      this.store.update({ racing: false });
    }
  }

  stop(): void {
    this.abort?.abort();
  }

  /** Nothing has run yet: the prompt as a run that has not begun. */
  private async runOfPrompt(): Promise<RunRecord> {
    const model = this.controller.model!;
    const { prompt: text, settings } = this.store.state;
    const { kvType, kvCache, ...rest } = settings;
    const tokens = await model.tokenize(text, { special: true });
    const contextLength = Math.min(2048, model.info.contextLength);
    const session = { contextLength, kvType, kvCache };
    return newRun(model.info, session, rest, { text, chat: false, tokens });
  }
}
