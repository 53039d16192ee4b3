import type { How, NoteName, Unit } from '../text/sources/strings';
import type { Formula } from './formula';

/** Where a figure comes from. */
export interface Source {
  how: How;
  /** As it stands in the record, or as the formula gives it: not rounded for reading. */
  value: number;
  unit: Unit;
  /** Its place in the record of the run, as a saved run has it; Σ a[1…3].b: the sum of several. */
  field?: string;
  formula?: Formula;
  note?: NoteName;
  /** The number in that note. */
  noteNumber?: number;
  /** A share of 1, drawn as a percentage. */
  isShare?: boolean;
}

/** What follows from a formula alone. */
export function worked(formula: Formula, unit: Unit, how: How = 'worked'): Source {
  return { how, value: formula.value, unit, formula };
}

/**
 * A number of the engine's, with the formula that explains it. Where the two do not agree, as the MACs
 * of a model whose layers attend to a window, the formula is not that number's: it is left out.
 */
export function checked(source: Source & { formula: Formula }, tolerance = 1e-9): Source {
  const { value, formula } = source;
  const difference = Math.abs(value - formula.value);
  if (difference <= tolerance * Math.max(1, Math.abs(value))) return source;
  return { ...source, formula: undefined };
}

/** The place of the newest pass's results at a moment; see record/moment.ts. */
export const passField = (frame: number) => (frame < 2 ? 'prefill' : `steps[${frame - 2}]`);

/** steps[from…to].key, and no sum where it is only one. */
export function stepsField(from: number, to: number, key: string, of = ''): string {
  return from === to ? `${of}steps[${from}].${key}` : `Σ ${of}steps[${from}…${to}].${key}`;
}
