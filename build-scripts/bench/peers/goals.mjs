// What the engine is to reach: ratios of speeds, shares of the machine's ceilings.

const twice = (measure, length, goals) =>
  goals.map(([engine, peer, atLeast]) => ({ measure, length, engine, peer, atLeast }));

/** engine ÷ peer, in tokens per second; both measured in the same session. */
export const ratioGoals = [
  ...twice('decode', 16, [
    ['relaxed', 'native', 2.2],
    ['relaxed', 'native-q4_0', 1.3],
    ['relaxed', 'ort-q8', 6.5],
    ['relaxed', 'wllama-3', 16],
    ['relaxed-threads', 'relaxed', 1.3],
    ['simd', 'relaxed', 0.55],
  ]),
  ...twice('decode', 1000, [
    ['relaxed', 'native', 2],
    ['relaxed', 'ort-q8', 9],
  ]),
  ...twice('prefill', 128, [
    ['relaxed', 'native', 2.5],
    ['relaxed', 'native-q4_0', 0.9],
    ['relaxed', 'ort-q8', 3],
    ['relaxed', 'wllama-3', 26],
    ['relaxed-threads', 'relaxed', 1.8],
    ['simd', 'relaxed', 0.55],
  ]),
  ...twice('prefill', 512, [
    ['relaxed', 'native', 2.5],
    ['relaxed', 'native-q4_0', 0.9],
    ['relaxed', 'ort-q8', 6.5],
    ['relaxed', 'wllama-3', 26],
    ['relaxed-threads', 'relaxed', 1.8],
    ['simd', 'relaxed', 0.55],
  ]),
];

/** The same for the model that comes with kvscope. */
export const defaultModelGoals = twice('decode', 16, [
  ['relaxed', 'wllama-3', 10],
  ['relaxed', 'native', 2],
]);

/** Of bandwidth in decode, of the dot peak in prefill; one thread, relaxed. */
export const shareGoals = [
  { measure: 'decode', length: 16, atLeast: 0.8 },
  { measure: 'prefill', length: 128, atLeast: 0.65 },
  { measure: 'prefill', length: 512, atLeast: 0.65 },
];
