// Runs several engines round by round, each measurement on one after the other, so that what the
// machine does meanwhile falls on all of them.

import { seconds } from '../../lib/run.mjs';
import { loadAverage, watchOthers } from '../machine.mjs';

/** A measurement that takes longer than this is done in the first rounds only. */
const slowMs = 10_000;
const slowRuns = 3;

const run = (engine, { measure, tokens }, prompt) =>
  measure === 'prefill' ? engine.prefill(prompt) : engine.decode(prompt, tokens);

/** Of peers that take no part in a measurement there is simply no result. */
const takesPart = (entry, testCase) => !entry.cases || entry.cases(testCase);

async function warmUp(entries, prompts, cases, say) {
  for (const entry of entries) {
    const started = performance.now();
    for (const testCase of cases) {
      if (!testCase.warmUp || !takesPart(entry, testCase)) continue;
      for (let i = 0; i < (entry.warmUps ?? 1); i++) {
        await run(entry.engine, testCase, prompts.get(testCase)(i));
      }
    }
    say(`${entry.name} is warm (${seconds(performance.now() - started)})`);
  }
}

/**
 * entries: [{ name, engine, cases?, warmUps? }]; cases: [{ measure, length, tokens, warmUp }];
 * prompts: case → (seed → prompt). between: done once a round. Resolves to { samples, rounds };
 * samples: [{ name, measure, length, round, tokens, ms, … }].
 */
export async function runRounds({ entries, cases, prompts, runs, between, say }) {
  await warmUp(entries, prompts, cases, say);
  await between?.({ keep: false });
  const samples = [];
  const rounds = [];
  for (let round = 0; round < runs; round++) {
    const started = performance.now();
    const others = watchOthers();
    await between?.({ keep: true });
    for (const testCase of cases) {
      const { measure, length } = testCase;
      for (const { name, engine } of entries.filter((entry) => takesPart(entry, testCase))) {
        const earlier = samples.filter(
          (s) => s.name === name && s.measure === measure && s.length === length,
        );
        if (earlier.length >= slowRuns && earlier.at(-1).tookMs > slowMs) continue;
        const begun = performance.now();
        const found = await run(engine, testCase, prompts.get(testCase)(round + 10));
        const tookMs = performance.now() - begun;
        samples.push({ name, measure, length, round, tookMs, ...found });
      }
    }
    rounds.push({ loadAverage: loadAverage(), otherCores: others() });
    say(`round ${round + 1} of ${runs} (${seconds(performance.now() - started)})`);
  }
  return { samples, rounds };
}
