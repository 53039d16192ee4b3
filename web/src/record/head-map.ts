// All heads of one pass beside each other.
import type { Lens } from './lens';
import type { RunRecord } from './record';

/** The softmax weights of every head in the pass of one position. */
export interface HeadMap {
  position: number;
  /** [layers][heads][position + 1]. From the first layer up: while it is read, the lower ones alone. */
  weights: number[][][];
}

/** The newest map is kept with the run, and of the older ones as many as these numbers allow. */
const MAX_RECORDED_WEIGHTS = 300_000;

export function recordMap(run: RunRecord, map: HeadMap): void {
  const { layers, heads } = run.model;
  const others = run.maps.filter(({ position }) => position !== map.position);
  let room = MAX_RECORDED_WEIGHTS;
  run.maps = [...others, map]
    .reverse()
    .filter((kept) => {
      room -= layers * heads * (kept.position + 1);
      return kept === map || room >= 0;
    })
    .reverse();
}

/** The head that looks hardest at one token that is neither the first nor the asker itself. */
export function tellingHead({ weights }: HeadMap): { layer: number; head: number } | null {
  let [best, peak]: [{ layer: number; head: number } | null, number] = [null, -1];
  weights.forEach((heads, layer) => {
    heads.forEach((ofHead, head) => {
      const most = ofHead.slice(1, -1).reduce((max, weight) => Math.max(max, weight), 0);
      if (most > peak) [best, peak] = [{ layer, head }, most];
    });
  });
  return best;
}

/** Often enough to be seen growing, seldom enough to leave the page its time. */
const SHOW_EVERY_MS = 200;

/** Reads the map of the moment on show while one is wanted, and leaves off when another one is. */
export class MapReader {
  private wanted: { run: RunRecord; position: number } | null = null;

  /** show: called with the map as it grows, and when all of it is there. */
  constructor(private readonly show: (map: HeadMap) => void) {}

  /** position: −1 while none is wanted. */
  follow(lens: Lens, run: RunRecord | null, position: number): void {
    const { wanted } = this;
    if (run && run === wanted?.run && position === wanted.position) return;
    this.wanted = run && position >= 0 ? { run, position } : null;
    if (this.wanted) void this.read(lens, this.wanted);
  }

  private async read(lens: Lens, mine: { run: RunRecord; position: number }): Promise<void> {
    const isWanted = () => this.wanted === mine;
    let shownAt = performance.now();
    const onLayer = (map: HeadMap) => {
      const isWhole = map.weights.length === mine.run.model.layers;
      if (!isWanted() || (!isWhole && performance.now() < shownAt + SHOW_EVERY_MS)) return;
      shownAt = performance.now();
      this.show(map);
    };
    try {
      await lens.readMap(mine.run, mine.position, onLayer, isWanted);
    } catch {
      // The engine is gone, or its memory is full: whoever runs it says so. The next moment asks again.
    }
  }
}
