import { type EngineModel, type EngineSteps, STEP } from './engine';
import { unwrap } from './failure';
import type { Piece } from './protocol';

/** Finds the tokens whose text the page does not have yet; one for each session. */
export class Pieces {
  private readonly known = new Set<number>();

  constructor(private readonly model: EngineModel) {}

  /** candidates: (id, p) of each. */
  ofCandidates(candidates: Float64Array): Piece[] {
    const found: Piece[] = [];
    for (let at = 0; at < candidates.length; at += 2) this.add(candidates[at]!, found);
    return found;
  }

  ofSteps({ count, numbers }: EngineSteps): Piece[] {
    const found: Piece[] = [];
    const stride = numbers.length / count;
    for (let begin = 0; begin < numbers.length; begin += stride) {
      this.add(numbers[begin + STEP.id]!, found);
      for (let at = STEP.candidates; at < stride; at += 2) this.add(numbers[begin + at]!, found);
    }
    return found;
  }

  private add(id: number, found: Piece[]): void {
    if (this.known.has(id)) return;
    this.known.add(id);
    const { text, bytes } = unwrap(this.model.piece(id));
    found.push({ id, text, bytes });
  }
}
