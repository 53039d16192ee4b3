// npm test [-- --only native,sanitize,simd,relaxed,relaxed-threads,lint,size,package,browser] [-- --grep TEXT]: set-up,
// build and every test; the closing line counts doctest cases, lint checks, size budgets, the package's tests and Playwright tests.
import fs from 'node:fs';
import os from 'node:os';
import { build } from './build.mjs';
import { buildNative, buildWasm, variants } from './lib/cmake.mjs';
import { checks } from './lib/lint.mjs';
import { at } from './lib/paths.mjs';
import { main, run, seconds, UserError } from './lib/run.mjs';
import { toolchainEnv } from './lib/toolchain.mjs';
import { needs, setUp } from './setup.mjs';
import { checkSizes } from './size.mjs';

const jobs = os.cpus().length;

/** Counts of a doctest run, from its own summary; a run that did not get that far has failed. */
function doctestCounts({ code, output }) {
  const match = /test cases:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed/.exec(output);
  const counts = match
    ? { passed: Number(match[2]), failed: Number(match[3]) }
    : { passed: 0, failed: 0 };
  if (code !== 0 && counts.failed === 0) counts.failed = 1; // it crashed
  if (code === 0 && counts.passed === 0) counts.failed = 1; // it ran nothing
  if (counts.failed > 0) console.log(output);
  return counts;
}

function native(name, options) {
  return async () => {
    const dir = await buildNative(name, options, { env: await toolchainEnv(), jobs });
    return doctestCounts(
      await run(`${dir}/kvscope_tests`, [], { show: 'never', allowFailure: true }),
    );
  };
}

/**
 * Node 20 has relaxed SIMD behind a flag, later ones do not know the flag any more. Its quick
 * compiler also loses, now and then, a number that a thread was started with (3 of 25 runs on a busy
 * machine; none of 80 with Node 22 and 24): there the thorough one compiles all.
 */
async function flagsForRelaxedSimd(node, variant) {
  const flag = '--experimental-wasm-relaxed-simd';
  const known = (await run(node, ['--v8-options'], { show: 'never' })).includes(flag);
  if (!known) return [];
  return variant === 'relaxed-threads' ? [flag, '--no-liftoff'] : [flag];
}

function wasm(variant) {
  return async () => {
    const env = await toolchainEnv();
    const dir = await buildWasm(variant, ['kvscope_tests'], { env, jobs });
    const node = process.execPath;
    const flags = variant === 'simd' ? [] : await flagsForRelaxedSimd(node, variant);
    const args = [...flags, `${dir}/kvscope_tests.cjs`];
    return doctestCounts(await run(node, args, { show: 'never', allowFailure: true }));
  };
}

async function lint() {
  const counts = { passed: 0, failed: 0 };
  for (const [name, check] of Object.entries(checks)) {
    const { code, output } = await check();
    counts[code === 0 ? 'passed' : 'failed']++;
    if (code !== 0) console.log(`${name}:\n${output}`);
  }
  return counts;
}

async function browser() {
  const report = at('build/playwright.json');
  fs.rmSync(report, { force: true });
  const grep = process.argv.indexOf('--grep');
  const args = grep > 0 ? ['--grep', process.argv[grep + 1]] : [];
  const cli = at('node_modules/@playwright/test/cli.js');
  const { code } = await run(process.execPath, [cli, 'test', ...args], {
    show: 'live',
    allowFailure: true,
  });
  if (!fs.existsSync(report)) return { passed: 0, failed: 1 };
  const { stats, errors } = JSON.parse(fs.readFileSync(report, 'utf8'));
  const failed = stats.unexpected + stats.flaky + errors.length;
  return {
    passed: stats.expected,
    failed: code !== 0 ? Math.max(1, failed) : failed,
    skipped: stats.skipped,
  };
}

/** Node's own test runner: the npm package, packed, as others get it. */
async function packageTests() {
  const files = ['package', 'cli', 'install'].map((name) => at(`tests/package/${name}.test.mjs`));
  const args = ['--test', '--test-reporter=tap', ...files];
  const { code, output } = await run(process.execPath, args, { show: 'never', allowFailure: true });
  const count = (name) => Number(new RegExp(`^# ${name} (\\d+)`, 'm').exec(output)?.[1] ?? 0);
  const [passed, failed] = [count('pass'), count('fail')];
  if (code !== 0) console.log(output);
  return { passed, failed: code !== 0 || passed === 0 ? Math.max(1, failed) : failed };
}

function size() {
  const { checked, broken } = checkSizes();
  return { passed: checked - broken.length, failed: broken.length };
}

const parts = {
  lint,
  size,
  package: packageTests,
  native: native('native', []),
  sanitize: native('sanitize', ['-DKVSCOPE_SANITIZE=ON']),
  ...Object.fromEntries(Object.keys(variants).map((variant) => [variant, wasm(variant)])),
  browser,
};

await main(async () => {
  const started = performance.now();
  const index = process.argv.indexOf('--only');
  const names = index > 0 ? process.argv[index + 1].split(',') : Object.keys(parts);
  const unknown = names.find((name) => !parts[name]);
  if (unknown)
    throw new UserError(`no part '${unknown}'. There are: ${Object.keys(parts).join(', ')}`);

  await setUp(needs.test);
  if (['browser', 'size', 'package'].some((name) => names.includes(name))) await build();
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const name of names) {
    const t0 = performance.now();
    let counts;
    try {
      counts = await parts[name]();
    } catch (error) {
      console.error(`${name}: ${error.message}`);
      counts = { passed: 0, failed: 1 };
    }
    for (const key of Object.keys(counts)) total[key] += counts[key];
    const skipped = counts.skipped ? `, ${counts.skipped} skipped` : '';
    console.log(
      `test: ${name}: ${counts.passed} ok, ${counts.failed} not ok${skipped} (${seconds(performance.now() - t0)})`,
    );
  }
  console.log(`test: ${seconds(performance.now() - started)} in all`);
  console.log(
    `\n${total.passed} passed, ${total.failed} failed${total.skipped ? `, ${total.skipped} skipped` : ''}`,
  );
  if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
});
