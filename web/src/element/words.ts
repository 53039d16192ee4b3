import type { Lang } from '../text/format';

/** The few words of the element; a reader of a blog should not download the page's. */
const en = {
  tokens: 'Tokens',
  run: 'Run',
  stop: 'Stop',
  waiting: 'Waiting for its turn',
  loading: (percent: string) => `Loading the model ${percent}`,
  saveData: 'Data saving is on: the model is fetched when you press Run.',
  notKept: 'This browser does not keep the model: the next visit downloads it again.',
  oneThread: 'Runs on one thread. With the headers COOP and COEP this page could use several.',
  end: 'END',
  cacheIs: (bytes: string) => `KV cache ${bytes}`,
  rate: (tokensPerSecond: string) => `${tokensPerSecond} tokens/s`,
  done: (tokens: string, text: string) => `${tokens} tokens: ${text}`,
  captions: {
    tokens: 'The prompt goes in all at once; every token after it comes one at a time.',
    full: 'One column a token: prefill fills the cache at once, decode adds one K,V pair a step.',
    cache: 'What the KV cache takes: every token adds the same number of bytes.',
    attention: 'The newest token’s Q meets every cached K, gathers the V, and is dropped.',
    projections: 'Q, K and V: three matrices, one and the same hidden vector.',
    race: 'The same prompt with the cache and without: the same tokens, another price.',
    cost: 'Input cost and output cost of this run, measured.',
  } as Record<string, string>,
};

const ko: typeof en = {
  tokens: '토큰',
  run: '실행',
  stop: '멈추기',
  waiting: '차례를 기다리는 중',
  loading: (percent) => `모델을 불러오는 중 ${percent}`,
  saveData: '데이터 절약 중입니다. 실행을 누르면 모델을 내려받습니다.',
  notKept: '이 브라우저에는 모델을 보관할 수 없어 다음에 다시 내려받습니다.',
  oneThread: '스레드 하나로 계산합니다. 페이지에 COOP, COEP 헤더가 있으면 여럿을 쓸 수 있습니다.',
  end: 'END',
  cacheIs: (bytes) => `KV 캐시 ${bytes}`,
  rate: (tokensPerSecond) => `초당 ${tokensPerSecond}토큰`,
  done: (tokens, text) => `토큰 ${tokens}개: ${text}`,
  captions: {
    tokens: '입력 토큰은 한꺼번에 들어가고, 그다음 토큰은 하나씩 나옵니다.',
    full: '토큰마다 한 열: 프리필은 캐시를 한꺼번에 채우고, 디코드는 한 단계에 K,V를 한 쌍씩 더합니다.',
    cache: 'KV 캐시의 크기: 토큰 하나마다 똑같은 바이트가 늘어납니다.',
    attention: '가장 새 토큰의 Q가 캐시의 모든 K를 만나 V를 모으고, 그다음 버려집니다.',
    projections: 'Q, K, V는 같은 은닉 벡터에 서로 다른 행렬 셋을 곱한 것입니다.',
    race: '같은 프롬프트를 캐시가 있을 때와 없을 때로 돌립니다. 토큰은 같고 비용이 다릅니다.',
    cost: '이번 실행에서 잰 입력 비용과 출력 비용입니다.',
  },
};

export type Words = typeof en;
export const words: Record<Lang, Words> = { en, ko };

export function languageOf(element: Element): Lang {
  const lang = element.closest('[lang]')?.getAttribute('lang') ?? document.documentElement.lang;
  return lang.startsWith('ko') ? 'ko' : 'en';
}
