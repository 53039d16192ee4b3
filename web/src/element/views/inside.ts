import type { Model } from '../../api/index';
import { type HeadMap, MapReader } from '../../record/head-map';
import { Lens } from '../../record/lens';
import type { Look } from '../../record/looks';
import { frameCount, type Moment, momentAt } from '../../record/moment';
import type { RunRecord } from '../../record/record';
import type { ViewScene } from './viewer';

/** Looks into the newest pass of a run, at the head that was chosen, once the run has ended. */
export class Inside {
  readonly lens: Lens;
  layer: number;
  head: number;
  /** The position on show; null: the one that asked last. */
  position: number | null = null;
  proposed: { layer: number; head: number; by: 'model' | 'page' } | null;
  /** All heads of the newest question, as far as they have been read. */
  map: HeadMap | null = null;
  private seen: Look | null = null;
  private run: RunRecord | null = null;
  private wanted = '';
  private readonly maps = new MapReader((map) => {
    this.map = map;
    this.redraw();
  });

  constructor(
    model: Model,
    private readonly redraw: () => void,
  ) {
    this.lens = new Lens(model);
    const { headLayer, headIndex, layers } = model.info;
    const isNamed = headLayer >= 0 && headIndex >= 0;
    this.layer = isNamed ? headLayer : layers - 1;
    this.head = isNamed ? headIndex : 0;
    this.proposed = isNamed ? { layer: headLayer, head: headIndex, by: 'model' } : null;
  }

  /** What is known of the spot on show; null while it has to be asked for. */
  follow({ run, busy }: ViewScene, withMatrices: boolean): { moment: Moment; look: Look | null } {
    if (run !== this.run) {
      this.run = run;
      this.position = null;
      this.wanted = '';
      this.map = null;
    }
    const moment = momentAt(run, frameCount(run) - 1);
    const { layer, head } = this;
    const position = this.position ?? moment.asker;
    const key = `${position} ${layer} ${head}`;
    if (!busy && position >= 0 && key !== this.wanted) {
      this.wanted = key;
      void this.ask(run, { position, layer, head }, withMatrices, key);
    }
    const { seen } = this;
    const isHere =
      seen?.position === position && seen.layer === layer && seen.head === head && !busy;
    return { moment, look: isHere ? seen : null };
  }

  /** Reads the map of that question, or leaves off when there is none. */
  followMap(run: RunRecord, asker: number): void {
    this.maps.follow(this.lens, run, asker);
  }

  choose(spot: { layer: number; head: number; position?: number }): void {
    Object.assign(this, spot);
    this.redraw();
  }

  async propose(run: RunRecord): Promise<void> {
    const { asker } = momentAt(run, frameCount(run) - 1);
    const best = await this.lens.findHead(run, asker).catch(() => null);
    if (!best) return;
    const { layer, head } = best;
    this.proposed = { layer, head, by: 'page' };
    this.choose({ layer, head });
  }

  close(): void {
    void this.lens.close();
  }

  private async ask(
    run: RunRecord,
    spot: { position: number; layer: number; head: number },
    withMatrices: boolean,
    key: string,
  ): Promise<void> {
    const look = await this.lens.look(run, spot, withMatrices).catch(() => null);
    if (key !== this.wanted || run !== this.run) return;
    this.seen = look;
    this.redraw();
  }
}
