import type { Lang } from '../text/format';

/** The few words of the element; a reader of a blog should not download the page's. */
const en = {
  tokens: 'Tokens',
  run: 'Run',
  stop: 'Stop',
  waiting: 'Waiting for its turn',
  loading: (percent: string) => `Loading the model ${percent}`,
  saveData: 'Data saving is on: the model is fetched when you press Run.',
  oneThread: 'Runs on one thread. With the headers COOP and COEP this page could use several.',
  end: 'END',
  cache: 'KV cache',
  rate: (tokensPerSecond: string) => `${tokensPerSecond} tokens/s`,
  done: (tokens: string, text: string) => `${tokens} tokens: ${text}`,
};

const ko: typeof en = {
  tokens: '토큰',
  run: '실행',
  stop: '멈추기',
  waiting: '차례를 기다리는 중',
  loading: (percent) => `모델을 불러오는 중 ${percent}`,
  saveData: '데이터 절약 중입니다. 실행을 누르면 모델을 내려받습니다.',
  oneThread: '스레드 하나로 계산합니다. 페이지에 COOP, COEP 헤더가 있으면 여럿을 쓸 수 있습니다.',
  end: 'END',
  cache: 'KV 캐시',
  rate: (tokensPerSecond) => `초당 ${tokensPerSecond}토큰`,
  done: (tokens, text) => `토큰 ${tokens}개: ${text}`,
};

export type Words = typeof en;
export const words: Record<Lang, Words> = { en, ko };

export function languageOf(element: Element): Lang {
  const lang = element.closest('[lang]')?.getAttribute('lang') ?? document.documentElement.lang;
  return lang.startsWith('ko') ? 'ko' : 'en';
}
