import { en, type Strings } from './en';
import type { Lang } from './format';
import { ko } from './ko';

export type { Strings };

export const strings: Record<Lang, Strings> = { en, ko };
