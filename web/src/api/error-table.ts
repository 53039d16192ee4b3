/**
 * Every failure of the API, one line each. The first group comes from the engine
 * (engine/base/error.hpp has the same names), the second from loading and from the browser.
 */
export const ERRORS = {
  'not-gguf': {
    en: 'This is not a GGUF file.',
    ko: 'GGUF 파일이 아닙니다.',
  },
  truncated: {
    en: 'The file ends too early: it was not downloaded completely.',
    ko: '파일이 중간에 끊겼습니다. 끝까지 내려받지 못한 파일입니다.',
  },
  'bad-gguf': {
    en: 'The file’s header is damaged.',
    ko: '파일의 머리 부분이 손상되었습니다.',
  },
  'unsupported-version': {
    en: 'This GGUF version is not supported; versions 2 and 3 are.',
    ko: '지원하지 않는 GGUF 버전입니다. 2와 3을 읽을 수 있습니다.',
  },
  'unsupported-architecture': {
    en: 'This kind of model is not supported yet.',
    ko: '아직 지원하지 않는 종류의 모델입니다.',
  },
  'unsupported-tensor-type': {
    en: 'The weights are stored in a format that is not supported.',
    ko: '가중치가 지원하지 않는 형식으로 저장되어 있습니다.',
  },
  'unsupported-tokenizer': {
    en: 'The model’s tokenizer is not supported.',
    ko: '이 모델의 토크나이저를 지원하지 않습니다.',
  },
  'missing-key': {
    en: 'The file lacks a value that its model needs.',
    ko: '모델에 꼭 필요한 값이 파일에 없습니다.',
  },
  'missing-tensor': {
    en: 'The file lacks weights that its model needs.',
    ko: '모델에 꼭 필요한 가중치가 파일에 없습니다.',
  },
  'bad-shape': {
    en: 'The shape of a weight contradicts the model’s description.',
    ko: '가중치의 모양이 모델의 설명과 맞지 않습니다.',
  },
  'out-of-memory': {
    en: 'There is not enough memory for this.',
    ko: '메모리가 부족합니다.',
  },
  'context-full': {
    en: 'The text does not fit the context.',
    ko: '글이 컨텍스트 길이를 넘었습니다.',
  },
  'bad-token': {
    en: 'There is no token with this id.',
    ko: '그런 번호의 토큰이 없습니다.',
  },
  'bad-argument': {
    en: 'A value is outside its allowed range.',
    ko: '허용 범위를 벗어난 값입니다.',
  },
  'bad-state': {
    en: 'This call does not fit what was called before.',
    ko: '지금은 할 수 없는 호출입니다.',
  },
  'bad-snapshot': {
    en: 'These bytes were not saved by a session of this model.',
    ko: '이 모델의 세션이 저장한 데이터가 아닙니다.',
  },
  network: {
    en: 'The file could not be fetched: no network, or the server does not allow it.',
    ko: '파일을 가져올 수 없습니다. 네트워크가 끊겼거나 서버가 허용하지 않습니다.',
  },
  http: {
    en: 'The server answered with an error.',
    ko: '서버가 오류로 응답했습니다.',
  },
  'read-failed': {
    en: 'The chosen file could not be read.',
    ko: '선택한 파일을 읽을 수 없습니다.',
  },
  aborted: {
    en: 'Stopped on request.',
    ko: '요청에 따라 멈추었습니다.',
  },
  closed: {
    en: 'The model or session has been closed.',
    ko: '이미 닫힌 모델 또는 세션입니다.',
  },
  'build-unavailable': {
    en: 'This page cannot run the requested build.',
    ko: '요청한 빌드를 이 페이지에서 실행할 수 없습니다.',
  },
  'unsupported-browser': {
    en: 'This browser lacks WebAssembly SIMD.',
    ko: '이 브라우저는 WebAssembly SIMD를 지원하지 않습니다.',
  },
  'worker-failed': {
    en: 'The engine’s worker could not be started.',
    ko: '엔진 워커를 시작할 수 없습니다.',
  },
  'engine-crashed': {
    en: 'The engine stopped unexpectedly. Loading a model starts a new one.',
    ko: '엔진이 예기치 않게 멈추었습니다. 모델을 다시 불러오면 새로 시작합니다.',
  },
  'no-chat-template': {
    en: 'This model has no chat template.',
    ko: '이 모델에는 대화 템플릿이 없습니다.',
  },
  'bad-chat-template': {
    en: 'The model’s chat template could not be applied.',
    ko: '모델의 대화 템플릿을 적용할 수 없습니다.',
  },
} as const satisfies Record<string, { en: string; ko: string }>;
