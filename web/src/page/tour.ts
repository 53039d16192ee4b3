import { frameCount, momentAt } from '../record/moment';
import type { RunRecord } from '../record/record';
import { textAt } from '../views/stage/say';
import type { Actors, Context } from './parts/context';

export type StagePoint = 'links' | 'chips' | 'grid' | 'bytes' | 'cached' | 'uncached';

interface TourStep {
  /** What the page brings into view and frames. */
  target: string;
  /** A row of the stage that the sentence is about. */
  point?: StagePoint;
  /** The moment of the run; Infinity: its end. */
  frame: number;
  say(context: Context, run: RunRecord): string;
  act?(actors: Actors): void;
}

const tokensOf = (run: RunRecord) =>
  run.prompt.tokens.map((_, position) => `[${textAt(run, position)}]`).join(' ');

/** The article's six points, in its order, on whatever prompt stands in the box. */
export const TOUR: TourStep[] = [
  {
    ...{ target: 'kv-stage', point: 'chips', frame: 0 },
    say: ({ v }, run) => v.tourTokens(tokensOf(run)),
  },
  {
    ...{ target: 'kv-stage', point: 'grid', frame: 1 },
    say: ({ v, format }, run) =>
      v.tourPrefill(
        format.int(run.prompt.tokens.length),
        format.int(run.model.layers),
        format.int(run.model.kvHeads),
      ),
  },
  {
    ...{ target: 'kv-stage', point: 'links', frame: 1 },
    say: ({ v }, run) => v.tourQuestion(textAt(run, run.prompt.tokens.length - 1)),
  },
  {
    ...{ target: 'kv-question', frame: 2 },
    say: ({ v }, run) => v.tourAnswer(textAt(run, run.prompt.tokens.length)),
  },
  {
    ...{ target: 'kv-stage', point: 'grid', frame: 3 },
    say: ({ v }, run) => v.tourDecode(textAt(run, run.prompt.tokens.length)),
  },
  {
    ...{ target: 'kv-stage', point: 'bytes', frame: Infinity },
    say: ({ v, format }, run) => {
      const { kv, cached } = momentAt(run, frameCount(run) - 1);
      return v.tourBytes(format.exactBytes(kv?.bytesPerToken ?? 0), format.int(cached));
    },
  },
  {
    ...{ target: 'kv-race', frame: Infinity },
    say: ({ v }) => v.tourRace,
    act: ({ racing, store }) => {
      if (!store.state.race) void racing.start(64);
    },
  },
  {
    ...{ target: 'kv-question', frame: Infinity },
    say: ({ v, format }, run) =>
      v.tourWhyNotQ(format.exactBytes(momentAt(run, frameCount(run) - 1).qBytesSum)),
  },
  {
    ...{ target: 'kv-projections', frame: 1 },
    say: ({ v }) => v.tourProjections,
  },
];

/** Walks through the steps: each makes sure that there is a run, and shows its moment of it. */
export class Tour {
  constructor(private readonly actors: Omit<Actors, 'tour' | 'offline'>) {}

  async go(step: number): Promise<void> {
    const { store, controller } = this.actors;
    const stop = TOUR[step];
    if (!stop) return this.end();
    store.update({ tour: step });
    const { run, prompt } = store.state;
    if (!run || (!run.prompt.chat && run.prompt.text !== prompt && store.state.phase === 'idle')) {
      store.update({ speed: 'real', paused: false });
      await controller.run();
    }
    const { run: made } = store.state;
    if (!made || store.state.tour !== step) return;
    const last = frameCount(made) - 1;
    const frame = Math.min(stop.frame, last);
    const selected = stop.target === 'kv-projections' ? made.prompt.tokens.length - 1 : null;
    store.update({ frame: frame === last ? null : frame, layersShown: null, selected });
    stop.act?.(this.actors as Actors);
    showTarget(stop.target);
  }

  end(): void {
    showTarget(null);
    this.actors.store.update({ tour: null });
  }
}

function showTarget(selector: string | null): void {
  for (const old of document.querySelectorAll('[data-tour-target]')) {
    old.removeAttribute('data-tour-target');
  }
  const target = selector === null ? null : document.querySelector(selector);
  if (!target) return;
  target.setAttribute('data-tour-target', '');
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  target.scrollIntoView({ block: 'start', behavior: still ? 'instant' : 'smooth' });
}
