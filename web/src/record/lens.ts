import type { Model, Session } from '../api/index';
import type { Inspection } from '../api/types';
import { type HeadMap, recordMap, tellingHead } from './head-map';
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

  recordedMap(run: RunRecord, position: number): HeadMap | undefined {
    return run.maps.find((map) => map.position === position);
  }

  /**
   * The weights of every head in the pass of a position, a layer after the other: onLayer is told of
   * each. null: they are not recorded and there is no engine, or isWanted() said no on the way.
   */
  async readMap(
    run: RunRecord,
    position: number,
    onLayer: (map: HeadMap) => void = () => {},
    isWanted: () => boolean = () => true,
  ): Promise<HeadMap | null> {
    const known = this.recordedMap(run, position);
    if (known) onLayer(known);
    if (known || !this.canLook(run) || position < 0) return known ?? null;
    const map: HeadMap = { position, weights: [] };
    const { layers, heads } = run.model;
    for (let layer = 0; layer < layers; layer++) {
      const ofLayer: number[][] = [];
      for (let head = 0; head < heads; head++) {
        if (!isWanted()) return null;
        ofLayer.push(await this.weightsOf(run, { position, layer, head }));
      }
      map.weights.push(ofLayer);
      if (map.weights.length === layers) recordMap(run, map);
      onLayer(map);
    }
    return map;
  }

  /** See tellingHead; null where there is no engine to ask. */
  async findHead(run: RunRecord, position: number): Promise<Spot | null> {
    const map = await this.readMap(run, position);
    const best = map && tellingHead(map);
    return best && { position, ...best };
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

  /** Of a look the weights alone: there are many heads. */
  private weightsOf(run: RunRecord, spot: Spot): Promise<number[]> {
    const result = this.queue.then(async () => {
      const { weights } = await (await this.standAt(run, spot.position)).inspect(spot);
      return Array.from(weights ?? []);
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

/** A run that was saved before there were fingerprints is taken at its word. */
function sameModel(mine: RunRecord['model'], recorded: Partial<RunRecord['model']>): boolean {
  const { name, bytes, fingerprint = mine.fingerprint } = recorded;
  return mine.name === name && mine.bytes === bytes && mine.fingerprint === fingerprint;
}
