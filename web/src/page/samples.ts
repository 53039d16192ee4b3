import checked from '../../models/samples.json';
import type { Lang } from '../text/format';
import { type PageSettings, SETTINGS_FOR } from './state';

export interface Sample {
  lang: Lang;
  text: string;
  /** With which it was checked; none: the reader's own stay. */
  settings?: Pick<PageSettings, 'temperature' | 'minP'>;
}

interface Checked {
  prompt: string;
  story?: boolean;
  temperature?: number;
  minP?: number;
}

/** Prompts for the built-in model: those that it answered right when it was finished, and beginnings of stories. */
const builtIn = (['ko', 'en'] as const).flatMap((lang) =>
  (checked[lang] as Checked[]).map(({ prompt, story = false, temperature, minP }) => {
    const usual = SETTINGS_FOR.complete;
    const settings = {
      temperature: temperature ?? usual.temperature,
      minP: minP ?? usual.minP,
    };
    return { lang, text: prompt, story, settings };
  }),
);

/** Any other model gets these to begin with. */
const OTHERS: Record<'complete' | 'chat', Sample[]> = {
  complete: [
    { lang: 'en', text: 'One day' },
    { lang: 'en', text: 'The color of the sea is' },
    { lang: 'ko', text: '바다 색깔은' },
  ],
  chat: [
    { lang: 'en', text: 'Write two sentences about the sea.' },
    { lang: 'en', text: 'Hello! Who are you?' },
    { lang: 'ko', text: '바다는 무슨 색이야?' },
  ],
};

/** What to offer: a few as buttons, the others in a list. */
export function samplesFor(
  kind: 'built-in' | 'complete' | 'chat',
  lang: Lang,
): { first: Sample[]; more: Sample[] } {
  if (kind !== 'built-in') return { first: OTHERS[kind], more: [] };
  const facts = (own: boolean) => builtIn.filter((s) => !s.story && (s.lang === lang) === own);
  const stories = (own: boolean) => builtIn.filter((s) => s.story && (s.lang === lang) === own);
  const first = [
    ...facts(true).slice(0, 3),
    ...stories(true).slice(0, 1),
    ...facts(false).slice(0, 1),
    ...stories(false).slice(0, 1),
  ];
  return { first, more: builtIn.filter((sample) => !first.includes(sample)) };
}

/** What stands in the box at first, so that one press shows a run: the article's own example. */
export const FIRST_PROMPT: Record<Lang, string> = {
  ko: '바다 색깔은',
  en: 'The color of the sea is',
};
