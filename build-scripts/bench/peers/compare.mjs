// npm run bench -- --peers: kvscope beside wllama, ONNX Runtime Web and native llama.cpp, on the same
// weights, in the same session, interleaved.
import fs from 'node:fs';
import path from 'node:path';
import { buildCeilings, ceilingFor, openCeilings } from '../ceilings.mjs';
import { builds, defaultModelPath } from '../options.mjs';
import { saveReport } from '../report.mjs';
import { serveBench } from '../server.mjs';
import { groupBy, summarise } from '../stats.mjs';
import { Kvscope, Native, onnxRuntime, wllama } from './engines.mjs';
import { printComparison } from './print.mjs';
import { runRounds } from './rounds.mjs';
import { models, peerModelsDir, peerModulesDir, setUpPeers } from './setup.mjs';

const contextLength = 1100; // of the peers: the longest prompt here and what is decoded after it
const decodeTokens = 32;

const mounts = {
  '/peers/': path.join(import.meta.dirname, 'pages'),
  '/peer-modules/': peerModulesDir,
  '/peer-models/': peerModelsDir,
};
const peerModelUrl = (file) => `/peer-models/${path.basename(file)}`;
const servedModelUrl = (file) => `/bench-model/${path.basename(file)}`;

function casesFor({ quick }) {
  const decode = (length) => ({ measure: 'decode', length, tokens: decodeTokens });
  const prefill = (length) => ({ measure: 'prefill', length });
  const short = [
    { ...decode(16), warmUp: true },
    { ...prefill(128), warmUp: true },
  ];
  return quick ? short : [...short, prefill(512), decode(1000)];
}

/** case → (seed → prompt). Decode always goes on from the same context, which is computed once. */
async function makePrompts(engine, cases, seeds) {
  const prompts = new Map();
  for (const testCase of cases) {
    const wanted = testCase.measure === 'decode' ? 1 : seeds;
    const made = [];
    for (let seed = 0; seed < wanted; seed++) {
      made.push(await engine.prompt(testCase.length, testCase.length + seed));
    }
    prompts.set(testCase, (seed) => made[seed % made.length]);
  }
  return prompts;
}

async function startAll(entries, say) {
  for (const entry of entries) {
    entry.started = await entry.engine.start();
    say(`${entry.name} runs`);
  }
}

/** Without isolation headers: some peers would take more than one thread with them. */
async function servers(modelFile) {
  const isolated = await serveBench(modelFile, { mounts });
  const plain = await serveBench(modelFile, { mounts, isolated: false });
  return { isolated, plain, close: () => Promise.all([isolated.close(), plain.close()]) };
}

/** { name, measure, length } → summary, with the round of each sample to pair them by. */
function summaries(samples) {
  const groups = groupBy(samples, (s) => `${s.name} ${s.measure} ${s.length}`);
  return [...groups.values()].map((all) => {
    const { name, measure, length, macs, tokens } = all[0];
    const bytes = (all[0].weightBytesRead ?? 0) + (all[0].kvBytesRead ?? 0);
    return {
      ...{ name, measure, length },
      tokensPerSecond: summarise(all.map((s) => (s.tokens * 1000) / s.ms)),
      engineTokensPerSecond: summarise(
        all.filter((s) => s.engineMs).map((s) => (s.tokens * 1000) / s.engineMs),
      ),
      ...(macs && { macsPerToken: macs / tokens, bytesPerToken: bytes / tokens }),
      rounds: all.map((s) => s.round),
    };
  });
}

async function compareReal(options, say) {
  const { isolated, plain, close } = await servers(models.file);
  const ours = options.builds.map((build) => ({
    name: build,
    warmUps: 4,
    engine: new Kvscope(isolated, build, { ...options, modelFile: models.file }),
  }));
  const entries = [...ours];
  let ceilings;
  try {
    await startAll(ours, say);
    const { info } = ours[0].engine;
    const make = {
      native: () => new Native(models.file, 1, contextLength),
      'native-q4_0': () => new Native(models.q4_0, 1, contextLength),
      'ort-q8': () => onnxRuntime(plain, peerModelUrl(models.onnx), 1, info),
      'wllama-3': () => wllama(plain, '3', servedModelUrl(models.file), 1, contextLength),
      'wllama-2': () => wllama(plain, '2', peerModelUrl(models.q4_0), 1, contextLength),
    };
    const peers = options.peerNames.map((name) => ({
      name,
      engine: make[name](),
      // More than a minute for a context of 1000, and no figure asks for it.
      cases: ({ length }) => !(name.startsWith('wllama') && length === 1000),
    }));
    entries.push(...peers);
    await startAll(peers, say);
    ceilings = await openCeilings(isolated.url, info.weightBytes);
    const cases = casesFor(options);
    const prompts = await makePrompts(ours[0].engine, cases, 4);
    const between = (keep) => ceilings.measure(keep);
    const { samples, rounds } = await runRounds({
      ...{ entries, cases, prompts, between, say },
      runs: options.runs,
    });
    return {
      ...{ model: info, rounds, samples, results: summaries(samples) },
      ceilings: ceilings.summary(),
      ceiling: ceilingFor(ceilings.summary(), builds.relaxed),
      engines: entries.map(({ name, started }) => ({ name, ...started })),
    };
  } finally {
    for (const { engine } of entries) await engine.stop();
    await ceilings?.close();
    await close();
  }
}

async function compareDefault(options, say) {
  if (!fs.existsSync(defaultModelPath)) return undefined;
  const { isolated, plain, close } = await servers(defaultModelPath);
  const ours = {
    name: 'relaxed',
    warmUps: 8,
    engine: new Kvscope(isolated, 'relaxed', { ...options, modelFile: defaultModelPath }),
  };
  const url = servedModelUrl(defaultModelPath);
  const length = 256;
  const peers = [
    { name: 'native', warmUps: 4, engine: new Native(defaultModelPath, 1, length) },
    { name: 'wllama-3', warmUps: 4, engine: wllama(plain, '3', url, 1, length) },
  ].filter(({ name }) => options.peerNames.includes(name));
  try {
    await startAll([ours, ...peers], say);
    const cases = [{ measure: 'decode', length: 16, tokens: 64, warmUp: true }];
    const prompts = await makePrompts(ours.engine, cases, 1);
    const entries = [ours, ...peers];
    const { samples, rounds } = await runRounds({
      entries,
      cases,
      prompts,
      runs: options.runs,
      say,
    });
    return { model: ours.engine.info, rounds, samples, results: summaries(samples) };
  } finally {
    for (const { engine } of [ours, ...peers]) await engine.stop();
    await close();
  }
}

export async function comparePeers(options, newReport, say) {
  await setUpPeers();
  await buildCeilings();
  const report = { ...(await newReport(options)), real: await compareReal(options, say) };
  report.default = await compareDefault(options, say);
  printComparison(report);
  say(`written to ${saveReport('peers', report)}`);
}
