import type { Lang } from '../text/format';

interface Sample {
  lang: Lang;
  text: string;
}

/** Prompts to begin with. The first ones suit the built-in model, which knows a small world. */
export const SAMPLES: Record<'complete' | 'chat', Sample[]> = {
  complete: [
    { lang: 'ko', text: '바다 색깔은' },
    { lang: 'ko', text: '하루는 소라가' },
    { lang: 'en', text: 'The color of the sea is' },
    { lang: 'en', text: 'One day' },
  ],
  chat: [
    { lang: 'en', text: 'Write two sentences about the sea.' },
    { lang: 'en', text: 'Hello! Who are you?' },
    { lang: 'ko', text: '바다는 무슨 색이야?' },
  ],
};

/** What stands in the box at first, so that one press shows a run: the article's own example. */
export const FIRST_PROMPT: Record<Lang, string> = {
  ko: SAMPLES.complete[0]!.text,
  en: SAMPLES.complete[2]!.text,
};
