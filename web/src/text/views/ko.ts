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

  questionTitle: '질문: 한 번 묻고 끝나는 Q',
  questionEmpty: '프롬프트를 실행해 보세요. 가장 새 토큰이 묻고, 앞의 모든 토큰이 답합니다.',
  questionSay: (asker, position, keys) =>
    `위치 ${position}의 [${asker}]에서 헤드마다 Q가 하나씩 나옵니다. 이 Q가 토큰 ${keys}개의 K를 만나고 V를 모아 다음 토큰을 정합니다.`,
  layerName: '층',
  headName: '헤드',
  propose: '눈에 띄는 헤드 찾기',
  proposedByModel: '모델 파일이 알려 준 헤드',
  proposedByPage: '앞의 한 토큰을 가장 세게 보는 헤드',
  queryIs: (n) => `이 헤드의 숫자 ${n}개`,
  dropped: '쓰고 버림',
  meetsKeys: (n) => `토큰 ${n}개마다 Q · K / √헤드 크기, 소프트맥스로 가중치`,
  score: '점수',
  weight: '가중치',
  otherTokens: (n) => `나머지 ${n}개`,
  mixesValues: '이 가중치로 섞은 V',
  candidates: '모든 층을 지난 뒤: 다음 토큰 후보',
  chosen: '선택',
  qOfPass: '이번에 만든 Q',
  qSoFar: '지금까지 만들고 버린 Q',
  qKept: '남긴 Q',
  kvKept: '남긴 K와 V',
  whyNotQ:
    '다음 토큰은 자기 질문을 새로 만듭니다. 이 Q를 다시 묻는 일은 없으니 남겨 두어도 읽을 곳이 없습니다. K와 V는 매 단계 읽습니다.',
  computedAgain: '버린 Q를 보여 주려고 엔진이 그 계산을 방금 한 번 더 했습니다.',
  stripeLabel: (name, n, low, high) => `${name}: 숫자 ${n}개, ${low}부터 ${high}까지`,

  raceTitle: '캐시가 있을 때와 없을 때',
  raceIntro:
    '같은 프롬프트를 같은 엔진으로 동시에 두 번 돌립니다. 한쪽은 K와 V를 남기고, 다른 쪽은 토큰마다 전체를 처음부터 다시 계산합니다.',
  startRace: '둘 다 실행',
  stopRace: '멈추기',
  raceRunning: '실행 중…',
  raceLength: '출력 토큰 수',
  racePlot: (metric) => `토큰 수에 따라 더해 간 ${metric}`,
  metrics: { macs: 'MAC', ms: '시간' },
  withCache: '캐시 있음',
  withoutCache: '캐시 없음',
  tokensOfSequence: '지금까지의 토큰 수',
  total: '합계',
  stepAt: (token) => `${token}번째 토큰의 계산`,
  raceTold: ({ token, cached, uncached, ratio, sumRatio }) =>
    `${token}번째 토큰 하나에 캐시 없이는 ${uncached}, 캐시가 있으면 ${cached}. 같은 답에 ${ratio}배가 듭니다. 거기까지 더하면 ${sumRatio}배입니다.`,
  sameTokens: (n) => `두 쪽의 토큰 ${n}개를 하나씩 견주어 보니 모두 같습니다.`,
  differentTokens: (n) => `토큰 ${n}개가 서로 다릅니다. 그렇다면 엔진의 잘못입니다.`,

  projectionsTitle: 'Q, K, V는 어디에서 오나',
  projectionsIntro:
    '층마다 토큰 하나의 같은 은닉 벡터 x(정규화한 값)에 서로 상관없는 행렬 셋을 곱합니다. 칸을 누르면 그 숫자가 어떻게 나왔는지 보입니다.',
  xIs: (n) => `x: 이 층에 들어온 토큰의 은닉 벡터를 정규화한 것, 숫자 ${n}개`,
  matrixShape: (rows, cols, from, to) => `${rows} × ${cols}, 그림은 이 헤드의 ${from}~${to}행`,
  resultIs: (name, n) => `${name}: 숫자 ${n}개`,
  heatLegend: '색은 양수, 줄 그은 회색은 음수, 진할수록 0에서 멉니다.',
  element: '원소',
  engineSays: (value, difference) =>
    `엔진이 계산한 값은 ${value}입니다. 차이 ${difference}은 엔진이 x를 8비트로 반올림해 곱하기 때문입니다. K와 Q는 그다음 위치만큼 회전합니다.`,
  allProducts: (n) => `곱셈 ${n}개 모두 보기`,
  sumSoFar: '여기까지 합',

  tour: '안내 따라가기',
  startTour: '안내 따라가기',
  tourWait: '모델이 프롬프트를 계산하고 있습니다…',
  back: '이전',
  next: '다음',
  close: '닫기',
  tourEnd: '끝',
  tourTokens: (tokens) =>
    `모델은 글자가 아니라 토큰을 읽습니다. 프롬프트를 모델의 토큰으로 나누면 ${tokens}.`,
  tourPrefill: (n, layers, kvHeads) =>
    `입력 처리(프리필): 토큰 ${n}개가 한꺼번에 신경망을 지나갑니다. ${layers}개 층, ${kvHeads}개 KV 헤드마다 토큰 하나가 K 하나와 V 하나를 캐시에 남깁니다. 이것이 입력 비용입니다.`,
  tourQuestion: (asker) =>
    `마지막 토큰 [${asker}] 자리에서 다음에 올 것을 묻습니다. Q가 모든 토큰의 K를 만나고, 가중치가 누구의 말을 들을지 정합니다. 이 첫 질문은 입력 처리 안에서 나옵니다.`,
  tourAnswer: (chosen) =>
    `가중치대로 V를 섞고 모든 층을 지나면 후보와 확률이 나옵니다. 고른 토큰은 [${chosen}].`,
  tourDecode: (asker) =>
    `생성(디코드): 이제 [${asker}] 하나만 신경망을 지나갑니다. 캐시에는 정확히 한 열, 층과 KV 헤드마다 K 하나와 V 하나가 더해지고, 새 Q가 그다음 토큰을 묻습니다. 이것이 출력 비용입니다.`,
  tourBytes: (perToken, tokens) =>
    `그래서 캐시는 토큰 하나에 ${perToken}씩 커집니다. 지금 토큰 ${tokens}개. 더도 덜도 아닙니다.`,
  tourRace:
    'K와 V를 왜 남길까요? 남기지 않으면 50번째 토큰을 위해 나머지 49개를 다시 계산합니다. 같은 프롬프트를 두 방법으로 정말 돌려 봅니다. 토큰은 같고 비용만 다릅니다.',
  tourWhyNotQ: (bytes) =>
    `Q는 왜 남기지 않을까요? 한 번 묻고 나면 다시 읽지 않기 때문입니다. 이 실행에서 Q ${bytes}를 만들어 쓰고 버렸습니다.`,
  tourProjections:
    'Q, K, V는 어디에서 올까요? 토큰의 같은 벡터 x에 서로 다른 행렬 셋을 곱합니다. 칸을 눌러 보세요. 행 × 벡터가 그 숫자입니다.',
  reusable: (n, of) =>
    `이 토큰 ${of}개 가운데 앞의 ${n}개는 캐시에 그대로 있습니다. K와 V는 앞에 온 토큰에만 달려 있기 때문입니다.`,
  runReusing: '나머지만 실행',
};
