// What a token costs outside the engine: the messages between worker and page, the objects made from
// them, the loop. On the default model, since its steps are short enough for that to be felt.
import { openEngine } from './engine.mjs';
import { watchOthers } from './machine.mjs';
import { groupBy, summarise } from './stats.mjs';

const modelUrl = '../models/kvscope-tiny.gguf'; // beside the page, as any visitor has it
const contextTokens = 16;
const decodeTokens = 200;
const warmUpRounds = 2;

/** As a page runs it, and with a message for every step. */
const modes = { shared: {}, single: { lookahead: 0 } };

async function prepare({ call }) {
  const { ids } = await call('prompt', contextTokens, 1);
  await call('openDecode', ids, decodeTokens);
}

async function runOnce({ name, call }) {
  const samples = [];
  for (const [mode, generation] of Object.entries(modes)) {
    const { tokens, ms, wallMs } = await call('decode', contextTokens, decodeTokens, generation);
    samples.push({ build: name, mode, ms: ms / tokens, outsideMs: (wallMs - ms) / tokens });
  }
  return samples;
}

/** Resolves to { rows, rounds }; ms and outsideMs are those of a token. */
export async function measureMessages(baseUrl, options) {
  const engines = [];
  try {
    for (const name of options.builds)
      engines.push(await openEngine(baseUrl, name, options, modelUrl));
    for (const engine of engines) await prepare(engine);
    const samples = [];
    const rounds = [];
    for (let round = -warmUpRounds; round < options.runs; round++) {
      const others = watchOthers();
      for (const engine of engines) {
        const found = await runOnce(engine);
        if (round >= 0) samples.push(...found);
      }
      if (round >= 0) rounds.push({ otherCores: others() });
    }
    const groups = groupBy(samples, ({ build, mode }) => `${build} ${mode}`);
    const rows = [...groups.values()].map((group) => ({
      ...{ build: group[0].build, mode: group[0].mode },
      ms: summarise(group.map((sample) => sample.ms)),
      outsideMs: summarise(group.map((sample) => sample.outsideMs)),
    }));
    return { rows, rounds };
  } finally {
    for (const { close } of engines) await close();
  }
}
