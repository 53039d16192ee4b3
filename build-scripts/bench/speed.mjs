// Prefill and decode of every build, run after run in turn, with the machine's ceilings in between.
import { openCeilings } from './ceilings.mjs';
import { openEngine } from './engine.mjs';
import { loadAverage, watchOthers } from './machine.mjs';
import { builds } from './options.mjs';
import { groupBy, summarise } from './stats.mjs';

const warmUpRounds = 2;

/** Lengths that fit into the model's context, longest last. */
function lengthsFor(info, options) {
  const fits = (n) => n + options.decodeTokens + 1 <= info.contextLength;
  return {
    prefill: options.measurements.includes('prefill') ? options.prompts.filter(fits) : [],
    decode: options.measurements.includes('decode') ? options.contexts.filter(fits) : [],
  };
}

async function prepare(engine, lengths, { decodeTokens }) {
  const { call } = engine;
  if (lengths.prefill.length > 0) await call('openPrefill', lengths.prefill.at(-1));
  for (const context of lengths.decode) {
    const { ids } = await call('prompt', context, 1);
    await call('openDecode', ids, decodeTokens);
  }
}

/** One run of everything on one engine: [{ measure, length, … }]. */
async function runOnce({ call }, lengths, { decodeTokens }, seed) {
  const found = [];
  for (const length of lengths.prefill) {
    const { ids } = await call('prompt', length, seed);
    found.push({ measure: 'prefill', length, ...(await call('prefill', ids)) });
  }
  for (const length of lengths.decode) {
    found.push({ measure: 'decode', length, ...(await call('decode', length, decodeTokens)) });
  }
  return found;
}

/** All samples of one measure on one engine as a row of the table. ms: of the whole call. */
function toRow(samples) {
  const { engine, measure, length, tokens } = samples[0];
  const per = (key) => samples.reduce((sum, s) => sum + s[key] / s.tokens, 0) / samples.length;
  const ms = summarise(samples.map((s) => s.ms));
  const wallMs = summarise(samples.map((s) => s.wallMs));
  return {
    ...{ build: engine.name, threads: engine.threads, measure, length, tokens, ms, wallMs },
    tokensPerSecond: summarise(samples.map((s) => (s.tokens * 1000) / s.ms)),
    macsPerToken: per('macs'),
    ...(measure === 'decode' && {
      weightBytesPerToken: per('weightBytesRead'),
      kvBytesPerToken: per('kvBytesRead'),
    }),
  };
}

/** Measures; resolves to { rows, rounds, ceilings, info }. */
export async function measureSpeed(baseUrl, options, say) {
  const engines = [];
  let ceilings;
  try {
    for (const name of options.builds) engines.push(await openEngine(baseUrl, name, options));
    const { info } = engines[0];
    const lengths = lengthsFor(info, options);
    for (const engine of engines) await prepare(engine, lengths, options);
    ceilings = await openCeilings(baseUrl, info.weightBytes);

    const samples = [];
    const rounds = [];
    for (let round = -warmUpRounds; round < options.runs; round++) {
      const keep = round >= 0;
      const others = watchOthers();
      await ceilings.measure({ keep });
      for (const engine of engines) {
        const found = await runOnce(engine, lengths, options, round + 100);
        if (keep) samples.push(...found.map((sample) => ({ engine, ...sample })));
      }
      if (!keep) continue;
      rounds.push({ loadAverage: loadAverage(), otherCores: others() });
      say(`run ${round + 1} of ${options.runs}`);
    }
    const groups = groupBy(samples, (s) => `${s.engine.name} ${s.measure} ${s.length}`);
    const rows = [...groups.values()].map(toRow);
    return { rows, rounds, ceilings: ceilings.summary(), info };
  } finally {
    for (const { close } of [...engines, ...(ceilings ? [ceilings] : [])]) await close();
  }
}

/** Adds to each row what it reached of the machine's ceiling: of bandwidth, or of the dot peak. */
export function addShares(rows, ceilings, ceilingFor) {
  for (const row of rows) {
    const { bytesPerSecond, macsPerSecond } = ceilingFor(ceilings, builds[row.build]);
    const perSecond = row.tokensPerSecond.median;
    row.macsPerSecond = row.macsPerToken * perSecond;
    row.shareOfDotPeak = row.macsPerSecond / macsPerSecond;
    if (row.measure !== 'decode') continue;
    row.bytesPerSecond = (row.weightBytesPerToken + row.kvBytesPerToken) * perSecond;
    row.shareOfBandwidth = row.bytesPerSecond / bytesPerSecond;
  }
}
