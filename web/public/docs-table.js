// What <kv-scope> offers, a row each: its name, what it is for, and a line of HTML that shows it at work.
// tests/browser/docs.spec.ts compares the names with the element's own.
const sea =
  (attributes = '', content = '') =>
  (lang) =>
    `<kv-scope prompt="${lang === 'ko' ? '바다 색깔은' : 'The color of the sea is'}"${attributes}>${content}</kv-scope>`;
const view = (name) => sea(` view="${name}"`);

export const table = {
  attributes: [
    ['prompt', 'the text to continue', '이어 쓸 글', sea()],
    [
      'view',
      'tokens (when absent): the tokens alone',
      'tokens(없으면 이것): 토큰만',
      view('tokens'),
    ],
    ['view', 'cache: the bytes of the KV cache', 'cache: KV 캐시의 바이트', view('cache')],
    [
      'view',
      'attention: Q meets every K',
      'attention: Q가 모든 K를 만나는 모습',
      view('attention'),
    ],
    [
      'view',
      'projections: where Q, K and V come from',
      'projections: Q, K, V가 나오는 곳',
      view('projections'),
    ],
    ['view', 'race: with the cache and without', 'race: 캐시가 있을 때와 없을 때', view('race')],
    ['view', 'cost: input and output', 'cost: 입력 비용과 출력 비용', view('cost')],
    ['view', 'full: all of it', 'full: 전부', view('full')],
    [
      'max-tokens',
      'output tokens at the most; 64 when absent',
      '출력 토큰의 최댓값, 없으면 64',
      sea(' max-tokens="1"'),
    ],
    [
      'temperature',
      '0 when absent: always the most probable token',
      '없으면 0: 언제나 가장 그럴듯한 토큰',
      sea(' temperature="1.2"'),
    ],
    [
      'seed',
      'of the sampling; the same seed, the same text',
      '뽑기의 씨앗. 씨앗이 같으면 글도 같습니다',
      sea(' temperature="1.2" seed="7"'),
    ],
    [
      'src',
      'URL of a GGUF model; the built-in one when absent',
      'GGUF 모델의 주소, 없으면 내장 모델',
      sea(' src="models/kvscope-tiny.gguf"'),
    ],
    [
      'autoplay',
      'runs when it comes into view',
      '화면에 들어오면 스스로 실행합니다',
      sea(' autoplay'),
    ],
    [
      'loading',
      'eager: fetches the model before it is seen; lazy when absent',
      'eager: 보이기 전에 모델을 내려받습니다. 없으면 lazy',
      sea(' loading="eager"'),
    ],
    [
      'lang',
      'ko or en; else the language around it',
      'ko 또는 en, 없으면 둘레의 언어',
      sea(' lang="en"'),
    ],
    [
      'threads',
      'threads to ask for; more than one needs the headers COOP and COEP',
      '쓸 스레드 수. 둘 이상은 COOP, COEP 헤더가 있어야 합니다',
      sea(' threads="1"'),
    ],
    [
      'worker-src',
      'the worker on your own origin, when the script comes from another and the policy forbids blob:',
      '스크립트가 다른 출처에서 오고 정책이 blob:을 막을 때, 자기 사이트에 둔 워커',
      sea(' worker-src="kvscope-worker.js"'),
    ],
  ],
  properties: [
    [
      'prompt',
      'every attribute is a property too; maxTokens and workerSrc in camel case',
      '속성은 모두 프로퍼티이기도 합니다. maxTokens와 workerSrc는 낙타 표기',
      sea(),
      (lang) => `element.prompt = '${lang === 'ko' ? '하늘 색깔은' : 'The color of the sky is'}'`,
    ],
    [
      'state',
      'idle, loading, ready, prefill, decode, done or error; as data-state too',
      'idle, loading, ready, prefill, decode, done, error 가운데 하나. data-state로도 보입니다',
      sea(),
      () => 'element.state',
    ],
    [
      'run()',
      'runs the prompt from the start; resolves when it has ended',
      '처음부터 실행하고, 끝나면 이행됩니다',
      sea(),
      () => 'element.run()',
    ],
    [
      'stop()',
      'ends the run; what there is of it stays',
      '실행을 멈춥니다. 거기까지는 남습니다',
      sea(' view="race" max-tokens="400"'),
      () => 'element.stop()',
    ],
  ],
  events: [
    [
      'kv-progress',
      '{ phase, loaded, total } while the model is on its way',
      '모델을 받는 동안 { phase, loaded, total }',
      sea(),
    ],
    ['kv-ready', 'the model’s info', '모델의 정보', sea()],
    [
      'kv-prefill',
      'tokens, ms, macs and kv of the prefill',
      '프리필의 tokens, ms, macs, kv',
      sea(),
    ],
    ['kv-token', 'one step: text, p, ms, macs, kv', '한 단계: text, p, ms, macs, kv', sea()],
    ['kv-done', 'the record of the whole run', '실행 전체의 기록', sea()],
    [
      'kv-error',
      'a KvScopeError with code and message',
      'code와 message가 있는 KvScopeError',
      sea(' src="no-such-model.gguf"'),
    ],
  ],
  slots: [
    [
      'poster',
      'shown until the first run, and where there is no JavaScript',
      '첫 실행 전까지, 그리고 자바스크립트가 없을 때 보입니다',
      (lang) =>
        sea(
          '',
          `<p slot="poster">${lang === 'ko' ? '바다는 무슨 색일까요?' : 'What color is the sea?'}</p>`,
        )(lang),
    ],
    [
      'fallback',
      'shown after a failure, and where there is no JavaScript',
      '실패한 뒤에, 그리고 자바스크립트가 없을 때 보입니다',
      (lang) =>
        sea(
          ' src="no-such-model.gguf"',
          `<p slot="fallback">${lang === 'ko' ? '모델을 불러오지 못했습니다.' : 'The model could not be had.'}</p>`,
        )(lang),
    ],
  ],
  parts: [
    [
      'view',
      'the box whose height is kept',
      '높이가 지켜지는 상자',
      sea(),
      () => 'kv-scope::part(view) { border: 1px solid; padding: 0.5rem }',
    ],
    [
      'tokens',
      'the list of tokens',
      '토큰의 목록',
      sea(),
      () => 'kv-scope::part(tokens) { font-size: 1.5rem }',
    ],
    [
      'caption',
      'the line that says what the view shows',
      '무엇이 보이는지 알리는 줄',
      sea(),
      () => 'kv-scope::part(caption) { font-style: italic }',
    ],
    [
      'button',
      'runs and stops',
      '실행하고 멈추는 단추',
      sea(),
      () => 'kv-scope::part(button) { border-radius: 99px }',
    ],
  ],
  customProperties: [
    [
      '--kv-height',
      'height of the view',
      '보기의 높이',
      sea(),
      () => 'kv-scope { --kv-height: 4rem }',
    ],
  ],
};
