// node build-scripts/train/engine.mjs TASKS RESULTS: runs the trained file in this project's own engine,
// for kvtrain/engine.py. It is the `simd` build under Node: no relaxed operation and one thread, so
// that the same file, prompt and seed give the same tokens on every machine.
//
// TASKS    { model, heldOut: file or null, texts: [{ prompt, temperature, minP, seed, maxTokens }] }
// RESULTS  { build, right: { set: n }, asked: { set: n }, wrong: { set: [[prompt, expected, got]] },
//            texts: [{ ids, text, ended }] }                  ids: what was generated, END included
import fs from 'node:fs';
import { distDir } from '../lib/paths.mjs';
import { main, UserError } from '../lib/run.mjs';

const BUILD = 'simd';
const GREEDY = { temperature: 0, minP: 0, seed: 0 };
const REST = { topK: 0, topP: 1, repeatPenalty: 1, stop: [], ignoreEos: false };
/** Wrong answers of a set that are handed back, for the card. */
const WRONG_SHOWN = 5;

const unwrap = (value) => {
  if (value instanceof Error) throw value;
  return value;
};

/** The glue is written for a worker: it wants to know where it lies, and would fetch the module. */
async function startEngine() {
  const glue = `${distDir}/kvscope-${BUILD}.mjs`;
  if (!fs.existsSync(glue))
    throw new UserError(`${glue} is not there. Run: npm run build -- --only ${BUILD}`);
  globalThis.self ??= globalThis;
  globalThis.self.location ??= { href: `file://${glue}` };
  const { default: create } = await import(glue);
  const module = new WebAssembly.Module(fs.readFileSync(`${distDir}/kvscope-${BUILD}.wasm`));
  const instantiateWasm = (imports, receive) =>
    receive(new WebAssembly.Instance(module, imports), module);
  return create({ instantiateWasm });
}

async function openModel(file) {
  const engine = await startEngine();
  const loader = new engine.ModelLoader('high', 1);
  unwrap(loader.push(fs.readFileSync(file)));
  const model = unwrap(loader.finish());
  const session = unwrap(model.createSession(model.info().contextLength, 'f16', true));
  const tokens = (text) => model.tokenize(text, false, 'auto');

  function generate(prompt, maxTokens, sampling) {
    const ids = tokens(prompt);
    unwrap(session.prefillBegin(ids, false));
    while (!unwrap(session.prefillStep(64)).finished);
    unwrap(session.generateBegin({ ...REST, ...sampling, maxTokens }));
    unwrap(session.generateSteps(maxTokens, Number.POSITIVE_INFINITY));
    const made = [...session.tokens().slice(ids.length)];
    return { ids: made, ended: unwrap(model.piece(made.at(-1))).endOfGeneration };
  }
  return { generate, tokens, text: (ids) => unwrap(model.detokenize(Int32Array.from(ids))) };
}

/** Right: every token of the answer is the most probable one, and END too where it must follow. */
function answer(model, [prompt, expected, ends]) {
  const before = model.tokens(prompt);
  const wanted = [...model.tokens(`${prompt} ${expected}`).slice(before.length)];
  const { ids, ended } = model.generate(prompt, wanted.length + 1, GREEDY);
  const right = wanted.every((id, i) => ids[i] === id);
  const endsThere = ended && ids.length === wanted.length + 1;
  return { right: right && (endsThere || !ends), got: model.text(ids).trim() };
}

function heldOut(model, file) {
  const out = { right: {}, asked: {}, wrong: {} };
  for (const [name, items] of Object.entries(JSON.parse(fs.readFileSync(file, 'utf8')))) {
    if (name === 'form') continue;
    const answers = items.map((item) => ({ item, ...answer(model, item) }));
    const wrong = answers.filter(({ right }) => !right);
    out.asked[name] = items.length;
    out.right[name] = items.length - wrong.length;
    out.wrong[name] = wrong.slice(0, WRONG_SHOWN).map(({ item, got }) => [item[0], item[1], got]);
  }
  return out;
}

await main(async () => {
  const [tasksFile, resultsFile] = process.argv.slice(2);
  if (!resultsFile) throw new UserError('use: node build-scripts/train/engine.mjs TASKS RESULTS');
  const tasks = JSON.parse(fs.readFileSync(tasksFile, 'utf8'));
  const model = await openModel(tasks.model);
  const texts = tasks.texts.map(({ prompt, maxTokens, ...sampling }) => {
    const { ids, ended } = model.generate(prompt, maxTokens, sampling);
    return { ids, text: model.text([...model.tokens(prompt), ...ids]).trim(), ended };
  });
  const scores = tasks.heldOut ? heldOut(model, tasks.heldOut) : {};
  fs.writeFileSync(resultsFile, JSON.stringify({ build: BUILD, ...scores, texts }));
});
