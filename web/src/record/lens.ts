import type { Model, Session } from '../api/index';
import type { Inspection } from '../api/types';
import { type HeadMatrices, type Look, lookOf, matricesOf, sameSpot } from './looks';
import { type RunRecord, sequenceIds } from './record';

export interface Spot {
  /** The pass of this position is looked into. */
  position: number;
  layer: number;
  head: number;
}

/**
 * Looks into the pass of any position of a run. Q was not kept, so the engine makes that one pass
 * again, in a session of its own that holds the same tokens: the same numbers, and the run itself
 * is left alone. What was seen goes into the record, so that a replay needs no engine.
 */
export class Lens {
  private session: ReturnType<Model['createSession']> | undefined;
  private queue: Promise<unknown> = Promise.resolve();
  private key = '';
  /** Whose pass the session made last. */
  private standing: { run: RunRecord; position: number } | undefined;

  /** model: null for a replay whose model is not loaded: only what was recorded can be seen. */
  constructor(private readonly model: Model | null) {}

  /** What is recorded already; undefined when it has to be asked for. */
  recorded(run: RunRecord, spot: Spot): Look | undefined {
    return run.looks.find((look) => sameSpot(look, spot));
  }

  matrices(run: RunRecord, { layer, head }: Spot): HeadMatrices | undefined {
    return run.matrices.find((rows) => rows.layer === layer && rows.head === head);
  }

  canLook(run: RunRecord): boolean {
    return this.model !== null && sameModel(this.model.info, run.model);
  }

  /** null: it was not recorded, and there is no engine to make the pass again. */
  look(run: RunRecord, spot: Spot, withMatrices = false): Promise<Look | null> {
    const known = () =>
      withMatrices && !this.matrices(run, spot) ? undefined : this.recorded(run, spot);
    const look = known();
    if (look) return Promise.resolve(look);
    if (!this.canLook(run)) return Promise.resolve(null);
    const result = this.queue.then(async () => known() ?? this.make(run, spot, withMatrices));
    this.queue = result.catch(() => {});
    return result;
  }

  /** The head that looks hardest at one token that is neither the first nor the asker itself. */
  async findHead(run: RunRecord, position: number): Promise<Spot | null> {
    if (!this.canLook(run) || position < 0) return null;
    let [best, peak]: [Spot | null, number] = [null, -1];
    for (let layer = 0; layer < run.model.layers; layer++) {
      for (let head = 0; head < run.model.heads; head++) {
        const weights = await this.weightsOf(run, { position, layer, head });
        const most = weights.slice(1, -1).reduce((max, weight) => Math.max(max, weight), 0);
        if (most > peak) [best, peak] = [{ position, layer, head }, most];
      }
    }
    return best;
  }

  async close(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    this.key = '';
    this.standing = undefined;
    await session?.then((open) => open.close()).catch(() => {});
  }

  private async make(run: RunRecord, spot: Spot, withMatrices: boolean): Promise<Look> {
    const session = await this.standAt(run, spot.position);
    const seen: Inspection = await session.inspect(spot);
    const look = this.recorded(run, spot) ?? lookOf(seen);
    if (!run.looks.includes(look)) run.looks.push(look);
    if (withMatrices && !this.matrices(run, spot)) run.matrices.push(matricesOf(seen));
    return look;
  }

  /** Makes the pass of that position, unless it was the last one made. */
  private async standAt(run: RunRecord, position: number): Promise<Session> {
    const session = await this.open(run);
    if (this.standing?.run !== run || this.standing.position !== position) {
      this.standing = undefined;
      // All but the last are in the cache when one goes forward.
      await session.prefill(sequenceIds(run).slice(0, position + 1));
      this.standing = { run, position };
    }
    return session;
  }

  /** Without entering it into the record: it is one of many, and only the best is shown. */
  private weightsOf(run: RunRecord, spot: Spot): Promise<Float32Array> {
    const result = this.queue.then(async () => {
      const seen = await (await this.standAt(run, spot.position)).inspect(spot);
      return seen.weights ?? new Float32Array();
    });
    this.queue = result.catch(() => {});
    return result;
  }

  private async open(run: RunRecord) {
    const { kvType, contextLength } = run.session;
    const key = `${kvType} ${contextLength}`;
    if (key !== this.key) await this.close();
    this.key = key;
    this.session ??= this.model!.createSession({ kvType, contextLength });
    return this.session;
  }
}

function sameModel(a: RunRecord['model'], b: RunRecord['model']): boolean {
  return a.name === b.name && a.bytes === b.bytes && a.parameters === b.parameters;
}
