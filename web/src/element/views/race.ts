import { html } from 'lit';
import '../../views/race/race';
import { type RaceRecord, runRace } from '../../record/race';
import type { MakeViewer } from './viewer';

/** Its run is the race itself: the prompt with the cache and without, both for real. */
export const makeViewer: MakeViewer = (model, redraw) => {
  let race: RaceRecord | null = null;
  return {
    render: ({ run, revision, lang, busy }) => html`<kv-race
      .run=${run}
      .revision=${revision}
      .lang=${lang}
      .race=${race}
      .running=${busy}
      .ready=${false}
    ></kv-race>`,
    async perform(run, signal) {
      race = null;
      const room = run.session.contextLength - run.prompt.tokens.length;
      const tokens = Math.min(run.settings.maxTokens, room);
      race = await runRace(model, run, tokens, signal, (soFar) => {
        race = soFar;
        redraw();
      });
      run.uncached = race.uncached;
    },
    close() {},
  };
};
