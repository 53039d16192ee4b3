// A formula with its numbers filled in, as plain data: its value, and what is written of it.
import type { TermName } from '../text/sources/strings';

export interface Term {
  n: number;
  /** What the number is. */
  name?: TermName;
  /** Where it stands in the record of the run. */
  field?: string;
  /** Written as e to this power, or as the root of this number. */
  power?: number;
  root?: number;
}

export type Part = Term | '×' | '÷' | '+' | '−' | '(' | ')';

export interface Formula {
  value: number;
  parts: Part[];
  /** What joins its parts; nothing in a single number. */
  join?: 'sum' | 'product';
}

const single = (part: Term): Formula => ({ value: part.n, parts: [part] });

export const term = (n: number, name?: TermName) => single({ n, name });
export const recorded = (n: number, field: string) => single({ n, field });
export const power = (exponent: number) => single({ n: Math.exp(exponent), power: exponent });
export const root = (of: number, name: TermName) => single({ n: Math.sqrt(of), root: of, name });

export function plus(...all: Formula[]): Formula {
  return {
    value: all.reduce((sum, { value }) => sum + value, 0),
    parts: joined('+', all),
    join: 'sum',
  };
}

export function times(...all: Formula[]): Formula {
  return {
    value: all.reduce((product, { value }) => product * value, 1),
    parts: joined('×', all.map(asFactor)),
    join: 'product',
  };
}

export function minus(a: Formula, b: Formula): Formula {
  const parts: Part[] = [...a.parts, '−', ...asFactor(b).parts];
  return { value: a.value - b.value, parts, join: 'sum' };
}

export function over(a: Formula, b: Formula): Formula {
  const divisor = b.join ? inBrackets(b) : b;
  const parts: Part[] = [...asFactor(a).parts, '÷', ...divisor.parts];
  return { value: a.value / b.value, parts, join: 'product' };
}

function joined(sign: '+' | '×', all: Formula[]): Part[] {
  return all.flatMap(({ parts }, i) => (i > 0 ? [sign, ...parts] : parts));
}

const asFactor = (formula: Formula) => (formula.join === 'sum' ? inBrackets(formula) : formula);

const inBrackets = ({ value, parts }: Formula): Formula => ({ value, parts: ['(', ...parts, ')'] });
