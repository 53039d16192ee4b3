import type { ViewStrings } from './en';

export const ko: ViewStrings = {
  prefill: '입력 처리',
  decode: '생성',
  tokenTitle: (id, position) => `번호 ${id}, 위치 ${position}`,
  probability: (p) => `확률 ${p}`,
  position: '위치',
  token: '토큰',
  phaseName: '단계',

  stageEmpty:
    '프롬프트를 실행해 보세요. 입력 토큰은 한꺼번에 들어가고, 그다음 토큰은 하나씩 나옵니다.',
  axisLabel: '토큰 열: 왼쪽·오른쪽 화살표 키로 토큰을 고릅니다',
  prefillNote: '한꺼번에',
  decodeNote: '하나씩',
  asTable: '그림을 표로 보기',
  rowQuestion: '질문',
  rowQuestionNote: '이번 단계의 Q',
  rowTokens: '토큰',
  rowTokensNote: '위치 · 번호',
  rowCache: 'K, V 캐시',
  layer: (n) => `${n}층`,
  rowBytes: '캐시 크기',
  rowCached: '비용, 캐시 있음',
  rowUncached: '비용, 캐시 없음',
  fullHeight: (value) => `최대 ${value}`,
  sameScale: '같은 눈금',
  notRun: '아직 실행 안 함',
  passCost: '계산 비용',
  pairs: (n) => `K,V ${n}쌍`,
  noPairs: '아직 캐시에 없음',
  keyQ: 'Q: 한 번 묻고 사라짐',
  showHeads: 'KV 헤드별로 보기',
  costAsTime: '비용을 시간으로',

  sayTokens: (n) => `프롬프트를 모델의 토큰 ${n}개로 나누었습니다.`,
  sayPrefill: (n, pairs, bytes) =>
    `입력 처리: 토큰 ${n}개가 한꺼번에 신경망을 지나갔습니다. 토큰마다 K,V ${pairs}쌍이 캐시에 남아 모두 ${bytes}입니다. 이것이 입력 비용입니다.`,
  sayPrefillUncached: (n) =>
    `입력 처리: 토큰 ${n}개가 한꺼번에 신경망을 지나갔습니다. 캐시가 꺼져 있어 아무것도 남지 않습니다.`,
  sayFirst: ({ asker, chosen, p }) =>
    `[${asker}] 자리의 질문은 입력 처리 안에서 이미 나왔습니다. 답은 [${chosen}], 확률 ${p}. 따로 계산할 것이 없습니다.`,
  sayDecode: ({ asker, chosen, p, pairs, cached }) =>
    `생성: [${asker}] 하나만 신경망을 지나며 K,V ${pairs}쌍을 캐시에 더했습니다. 그 Q가 토큰 ${cached}개의 K를 만나 얻은 답은 [${chosen}], 확률 ${p}.`,
  sayDecodeUncached: ({ asker, chosen, p, tokens }) =>
    `캐시가 없으니 [${asker}]의 질문 하나를 위해 토큰 ${tokens}개가 모두 신경망을 다시 지나갔습니다. 답은 [${chosen}], 확률 ${p}.`,

  transport: '재생',
  reset: '처음으로',
  play: '실행',
  goOn: '계속',
  pause: '일시 정지',
  stepToken: '다음 토큰',
  stepLayer: '다음 층',
  speed: '속도',
  speeds: { real: '실제 속도', slow: '느리게', step: '한 단계씩' },
  scrub: '실행의 순간',
  scrubTokens: '토큰으로 나눔',
  scrubAt: (frame, of) => `${of} 중 ${frame}`,
  exportRun: '실행 저장',
  replayRun: '실행 열기…',
  share: '링크 복사',
  shared: '복사했습니다',
  replaying: '기록된 실행입니다. 새로 계산하지 않습니다.',
  badRunFile: (why) => `기록된 실행 파일이 아닙니다 (${why}).`,
};
