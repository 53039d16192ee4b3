interface Answer {
  asker: string;
  chosen: string;
  p: string;
}

export const en = {
  lang: 'en',
  prefill: 'Prefill',
  decode: 'Decode',
  position: 'position',
  token: 'token',
  phaseName: 'phase',

  stageEmpty:
    'Run the prompt: its tokens come in together, and then one token at a time comes out.',
  axisLabel:
    'Token columns: left and right arrow keys choose a token, Enter says where its numbers come from',
  prefillNote: 'all at once',
  decodeNote: 'one a step',
  asTable: 'The picture as a table',
  rowQuestion: 'Question',
  rowQuestionNote: 'of this step',
  rowTokens: 'Tokens',
  rowTokensNote: 'position · id',
  rowCache: 'K, V cache',
  layer: (n: string) => `layer ${n}`,
  rowBytes: 'Cache bytes',
  rowCached: 'Cost, cache',
  rowUncached: 'Cost, no cache',
  fullHeight: (value: string) => `full: ${value}`,
  sameScale: 'same scale',
  notRun: 'not run yet',
  passCost: 'cost of its pass',
  pairs: (n: string) => `${n} K,V pairs`,
  noPairs: 'not yet in the cache',
  keyQ: 'Q: asks once, is not kept',
  showHeads: 'Rows by KV head',
  bundles: 'Token bundles',
  bundle: ({
    first,
    last,
    bytes,
    share,
  }: Record<'first' | 'last' | 'bytes', string> & { share: string | null }) =>
    `Tokens ${first}–${last}: ${bytes} of cache${share ? `, ${share} of this question’s weight` : ''}`,
  costAsTime: 'Cost as time',

  sayTokens: (n: string) => `The prompt is cut into ${n} of the model’s own tokens.`,
  sayPrefill: (n: string, pairs: string, bytes: string) =>
    `Prefill: ${n} tokens went through the network together. Each left ${pairs} K,V pairs in the cache, ${bytes} in all. This is the input cost.`,
  sayPrefillUncached: (n: string) =>
    `Prefill: ${n} tokens went through the network together. The cache is off: nothing is kept.`,
  sayFirst: ({ asker, chosen, p }: Answer) =>
    `[${asker}] had asked its question inside the prefill. The answer is [${chosen}], ${p}: chosen without a pass of its own.`,
  sayDecode: ({ asker, chosen, p, pairs, cached }: Answer & { pairs: string; cached: string }) =>
    `Decode: [${asker}] alone went through the network and put its ${pairs} K,V pairs into the cache. Its Q met the K of ${cached} tokens; the answer is [${chosen}], ${p}.`,
  sayDecodeUncached: ({ asker, chosen, p, tokens }: Answer & { tokens: string }) =>
    `Without a cache all ${tokens} tokens went through the network again, for the one question of [${asker}]. The answer is [${chosen}], ${p}.`,

  transport: 'Playback',
  reset: 'Reset',
  play: 'Run',
  goOn: 'Go on',
  pause: 'Pause',
  stepToken: 'Next token',
  stepLayer: 'Next layer',
  speed: 'Speed',
  speeds: { real: 'Real time', slow: 'Slow', step: 'Step by step' },
  scrub: 'Moment of the run',
  scrubTokens: 'tokenized',
  scrubAt: (frame: string, of: string) => `${frame} of ${of}`,
  exportRun: 'Save run',
  replayRun: 'Open run…',
  share: 'Copy link',
  shared: 'Link copied',
  badRunFile: (why: string) => `This file is not a recorded run (${why}).`,

  questionTitle: 'The question: one Q, asked once',
  questionEmpty: 'Run the prompt: the newest token asks, every token before it answers.',
  questionSay: (asker: string, position: string, keys: string) =>
    `[${asker}] at position ${position} makes one Q in each head. It meets the K of ${keys} tokens, takes from their V, and out comes the next token.`,
  layerName: 'Layer',
  headName: 'Head',
  propose: 'Find a telling head',
  proposedByModel: 'named by the model’s file',
  proposedByPage: 'looks hardest at one earlier token',
  mapTitle: (layers: string, heads: string) => `All heads at once: ${layers} layers × ${heads}`,
  mapLabel: 'All heads: arrow keys move, Enter chooses',
  mapHead: (layer: string, head: string) => `Layer ${layer}, head ${head}`,
  mapCell: (name: string, token: string, weight: string) => `${name}: [${token}] ${weight}`,
  kvHead: (n: string) => `KV ${n}`,
  mapChosen: 'chosen',
  mapProposed: 'telling',
  mapLegend:
    'A cell is a head. Its bars are the tokens, from left to right; their height is the weight, that of the cell 100\u00a0%.',
  mapGroups: (group: string) => `The ${group} heads under one line read the same K and V.`,
  mapSummed: (n: string) => `A bar sums the weights of ${n} tokens.`,
  mapReading: (done: string, of: string) => `Reading each head’s weights: ${done} of ${of} layers`,
  mapWaits: 'When the run pauses or ends, the weights of each head are read.',
  mapNotRecorded: (token: string) =>
    `This recorded run has not read all heads for the question of [${token}].`,
  queryIs: (n: string) => `${n} numbers, of this head alone`,
  dropped: 'used, dropped',
  meetsKeys: (n: string) => `Q · K / √head size, for ${n} tokens; softmax makes weights of it`,
  score: 'score',
  weight: 'weight',
  otherTokens: (n: string) => `${n} others`,
  mixesValues: 'The V of all tokens, mixed by these weights',
  candidates: 'After all layers: candidates for the next token',
  chosen: 'chosen',
  qOfPass: 'Q made in this pass',
  qSoFar: 'made and dropped so far',
  qKept: 'Q kept',
  kvKept: 'K and V kept',
  whyNotQ:
    'Every later token brings a question of its own and never asks this one again, so a kept Q would never be read. K and V are read in every step.',
  computedAgain: 'To show this Q, the engine has just made that one pass again.',
  stripeLabel: (name: string, n: string, low: string, high: string) =>
    `${name}: ${n} numbers from ${low} to ${high}`,

  raceTitle: 'With and without the cache',
  raceIntro:
    'The same prompt, run twice at once by the same engine: one keeps K and V, the other computes the whole sequence anew for every token.',
  startRace: 'Run both',
  stopRace: 'Stop',
  raceRunning: 'Running…',
  raceLength: 'Output tokens',
  racePlot: (metric: string) => `${metric}, summed, over the tokens of the sequence`,
  metrics: { macs: 'MAC', ms: 'Time' },
  withCache: 'with the cache',
  withoutCache: 'without',
  tokensOfSequence: 'tokens in the sequence',
  total: 'summed',
  stepAt: (token: string) => `pass for token ${token}`,
  raceTold: (told: {
    token: string;
    cached: string;
    uncached: string;
    ratio: string;
    sumRatio: string;
  }) =>
    `For token ${told.token} the run without the cache did ${told.uncached}, the one with it ${told.cached}: ${told.ratio} times as much for the same answer. Summed up to there: ${told.sumRatio} times.`,
  sameTokens: (n: string) => `All ${n} tokens are the same in both, compared one by one.`,
  differentTokens: (n: string) => `The ${n} tokens differ: that would be a fault of the engine.`,

  projectionsTitle: 'Where Q, K and V come from',
  projectionsIntro:
    'Every layer multiplies the same normalised hidden vector x of a token by three matrices that know nothing of each other. Press a cell to see how its number is made.',
  xIs: (n: string) => `x: the token’s hidden vector at this layer, normalised, ${n} numbers`,
  matrixShape: (rows: string, cols: string, from: string, to: string) =>
    `${rows} × ${cols}; shown: rows ${from} to ${to}, this head’s`,
  resultIs: (name: string, n: string) => `${name}: ${n} numbers`,
  heatLegend: 'Colour: positive; grey with a dash: negative; the stronger, the further from zero.',
  element: 'Number',
  engineSays: (value: string, difference: string) =>
    `The engine computed ${value}, a difference of ${difference}.`,
  engineRounds: {
    fast: 'It comes from rounding: this model runs fast, and multiplies x as 8-bit numbers.',
    high: 'It comes from the order of the sums and the last digits of 32-bit numbers: this model runs in high precision, and x is not rounded to 8 bits.',
  },
  thenRotated: 'K and Q are then rotated by their position.',
  asNumbers: 'x, q, k and v in numbers',
  notRecorded: ({ token, layer, head }: { token: string; layer: string; head: string }) =>
    `This recorded run holds no look into the pass of [${token}] at layer ${layer}, head ${head}: it was not looked at while the run was made.`,
  howToSee: (model: string) =>
    `Load the model “${model}” above and open the run again: then this one pass is made again.`,
  recordedHere: 'Recorded for this token:',
  allProducts: (n: string) => `All ${n} products`,
  sumSoFar: 'sum so far',

  tour: 'Guided tour',
  startTour: 'Guided tour',
  tourWait: 'The model is running your prompt…',
  back: 'Back',
  next: 'Next',
  close: 'Close',
  tourEnd: 'Done',
  tourTokens: (tokens: string) =>
    `A model does not read letters. The prompt is cut into its own tokens: ${tokens}.`,
  tourPrefill: (n: string, layers: string, kvHeads: string) =>
    `Prefill: all ${n} tokens go through the network together. In each of the ${layers} layers and ${kvHeads} KV heads, each token leaves a K and a V in the cache. That is what input costs.`,
  tourQuestion: (asker: string) =>
    `The last token, [${asker}], asks what comes next: its Q meets the K of every token, and the weights say whom it listens to. This first question is asked inside the prefill.`,
  tourAnswer: (chosen: string) =>
    `The weights mix the V of the tokens; after all layers there are candidates with probabilities. Chosen: [${chosen}].`,
  tourDecode: (asker: string) =>
    `Decode: now [${asker}] goes through the network alone. Exactly one column is added to the cache, one K and one V for each layer and KV head, and its own Q asks for the token after it. That is what output costs.`,
  tourBytes: (perToken: string, tokens: string) =>
    `So the cache grows by ${perToken} for every token: ${tokens} tokens by now. No more, no less.`,
  tourRace:
    'Why keep K and V? Without them, the pass for token 50 computes the other 49 again. Both ways are run here for real, on the same prompt: the same tokens, another cost.',
  tourWhyNotQ: (bytes: string) =>
    `Why not keep Q? It is asked once and never read again. ${bytes} of Q were made in this run, used, and dropped.`,
  tourProjections:
    'And where do Q, K and V come from? Three separate matrices multiply the same vector x of a token. Press any cell: row times vector is the number.',
  reusable: (n: string, of: string) =>
    `The cache still holds the first ${n} of these ${of} tokens: K and V depend only on what came before.`,
  runReusing: 'Run the rest',

  cacheTitle: 'KV cache',
  cacheNow: 'in the cache now',
  cacheFormula: 'K and V × layers × KV heads × head size × bytes × tokens',
  cacheFormulaQ8:
    'K and V × layers × KV heads × (head size + 2 bytes of scale for every 32) × tokens',
  cacheOff: 'The cache is off: nothing is kept, and each step computes everything anew.',
  perToken: 'per token',
  perLayer: 'per layer',
  perKvHead: 'per KV head',
  reserved: 'reserved',
  reservedNote: (tokens: string) => `for ${tokens} tokens`,
  tokensInCache: 'tokens',
  bytesPlot: 'KV-cache bytes over the number of tokens',
  qDropped: 'Q made and dropped',
  elementType: 'element type',
  asItIs: 'these tokens',
  everyHead: (heads: string) => `if all ${heads} heads had their own K, V`,

  costTitle: 'Cost',
  inputCost: 'Input',
  outputCost: 'Output',
  computedTokens: 'tokens computed',
  time: 'time',
  timePerToken: 'time per token',
  tokensPerSecond: 'tokens per second',
  macs: 'multiply-adds (MAC)',
  macsPerToken: 'MAC per token',
  weightsPerToken: 'weights read per token',
  cachePerToken: 'cache read per token',
  intensity: 'MAC per byte read',
  intensityWhy: (input: string, output: string) =>
    `Prefill reads the weights once for all its tokens: ${input} MAC for each byte. Decode reads all of them for one token: ${output}. The longer the prompt, the higher the first number, while the second stays: a long prefill is bound by arithmetic, decode by memory.`,
  firstTokenNote:
    'The first output token needs no pass of its own: its logits come from the prefill. So decode has one pass less than there are output tokens.',
  pricePerMillion: 'Price of a million tokens:',
  priceOfRun: (sum: string) => `this run: ${sum}`,

  calculatorTitle: 'Beyond this page: the KV cache of other models',
  calculatorIntro:
    'The same formula for models that do not fit here: choose one, type a shape, or read it from the head of a GGUF file (a few hundred KB of it).',
  preset: 'Model',
  ownShape: 'own shape',
  layers: 'Layers',
  qHeads: 'Heads (Q)',
  kvHeads: 'KV heads',
  headDim: 'Head size',
  sourceConfig: (name: string) =>
    `Shape as in the published config.json of ${name}: num_hidden_layers, num_attention_heads, num_key_value_heads, head_dim. Not read from its files here.`,
  sourceFile: (name: string) => `Shape from the header of ${name}.`,
  sourceTyped: 'Shape as typed in.',
  unevenLayers: 'Its layers differ; the sums below count each as it is.',
  ggufUrl: 'Address of a GGUF file',
  ggufFile: 'GGUF file',
  readHeader: 'Read header',
  headerFailed: (why: string) => `The header could not be read: ${why}.`,
  contextTokens: 'Tokens in context',
  batch: 'Sequences at once',
  overContext: (tokens: string) => `The model itself is made for ${tokens} tokens at most.`,
  bytesPerToken: 'per token',
  bytesInAll: 'in all',
  bytesWord: 'bytes',
  withoutGrouping: (ratio: string) =>
    `Without grouping, a K and V for every head, it would be ${ratio} times as much.`,
  noGrouping: 'Every head has its own K and V: nothing is grouped.',

  qNotKept: 'in the cache: nothing, q is used and dropped',
  kAsCached: 'in the cache: k, rotated by its position',
  vAsCached: 'in the cache: v as it is',
  inCache: (name: string) => `${name} in the cache`,
  chooseFile: 'Choose file…',
};

export type ViewStrings = typeof en;
