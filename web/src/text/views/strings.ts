import type { Lang } from '../format';
import { en, type ViewStrings } from './en';
import { ko } from './ko';

export type { ViewStrings };

/** The words of the views, apart from the page's own: an element loads only what it draws. */
export const viewStrings: Record<Lang, ViewStrings> = { en, ko };
