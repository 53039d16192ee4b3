// npm run bench [-- options]: how fast the engine is in Chromium, beside what the machine can do.
// The options are listed in bench/options.mjs and explained in docs/benchmarks.md.
import { buildCeilings, ceilingFor } from './bench/ceilings.mjs';
import { launchChromium } from './bench/chromium.mjs';
import { measureFirstToken } from './bench/first-token.mjs';
import { measureGrowth } from './bench/growth.mjs';
import { measureLoad, measureMemory } from './bench/load.mjs';
import { describeMachine, loadAverage } from './bench/machine.mjs';
import { measureMessages } from './bench/messages.mjs';
import { readOptions, usage } from './bench/options.mjs';
import { comparePeers } from './bench/peers/compare.mjs';
import { profile } from './bench/profile.mjs';
import { printReport, saveReport } from './bench/report.mjs';
import { serveBench } from './bench/server.mjs';
import { addShares, measureSpeed } from './bench/speed.mjs';
import { build } from './build.mjs';
import { main, seconds } from './lib/run.mjs';
import { setUp } from './setup.mjs';

const say = (text) => console.log(`bench: ${text}`);

async function chromiumVersion() {
  const browser = await launchChromium();
  const version = browser.version();
  await browser.close();
  return version;
}

async function newReport(options) {
  return {
    at: new Date().toISOString(),
    machine: describeMachine(await chromiumVersion()),
    loadAverageBefore: loadAverage(),
    options,
  };
}

/** kvscope alone: speed, messages, loading, memory. */
async function measure(options) {
  const report = await newReport(options);
  await buildCeilings();
  const server = await serveBench(options.modelFile);
  try {
    if (options.measurements.some((name) => ['prefill', 'decode'].includes(name))) {
      report.speed = await measureSpeed(server.url, options, say);
      addShares(report.speed.rows, report.speed.ceilings, ceilingFor);
      report.growth = measureGrowth(report.speed.rows);
      report.model = report.speed.info;
    }
    if (options.measurements.includes('messages'))
      report.messages = await measureMessages(server.url, options);
    if (options.measurements.includes('load')) report.load = await measureLoad(server.url, options);
    if (options.measurements.includes('memory'))
      report.memory = await measureMemory(server.url, options);
    if (options.measurements.includes('first-token'))
      report.firstToken = await measureFirstToken(server, options);
  } finally {
    await server.close();
  }
  report.loadAverageAfter = loadAverage();
  printReport(report);
  say(`written to ${saveReport('kvscope', report)}`);
}

await main(async () => {
  const started = performance.now();
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(usage);
  await setUp(['nativeTools', 'emscripten', 'npmPackages', 'browser', 'model'], {
    optional: ['model'],
  });
  if (options.rebuild) await build();
  if (options.profile) await profile(options, newReport, say);
  else if (options.peers) await comparePeers(options, newReport, say);
  else await measure(options);
  say(`${seconds(performance.now() - started)} in all`);
});
