import type { Lang } from '../format';
import { en, type SourceStrings } from './en';
import { ko } from './ko';

export type { SourceStrings };
export type How = keyof SourceStrings['how'];
export type TermName = keyof SourceStrings['terms'];
export type Unit = keyof SourceStrings['units'];
export type NoteName = keyof SourceStrings['notes'];

export const sourceStrings: Record<Lang, SourceStrings> = { en, ko };
