// npm run bench -- --profile: where a token's time goes, by function. The same module with function
// names kept, sampled by Chromium's own CPU profiler in every thread, so that the code that is
// measured is the code that runs.
import fs from 'node:fs';
import path from 'node:path';
import { wasmBuildDir } from '../lib/cmake.mjs';
import { at, distDir } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { toolchainEnv } from '../lib/toolchain.mjs';
import { openEngine } from './engine.mjs';
import { saveReport } from './report.mjs';
import { serveBench } from './server.mjs';
import { percent, short, table } from './table.mjs';
import { readTrace } from './trace.mjs';

const profileDist = at('build/bench/profile-dist');

/** Links a variant again with names, from the objects that the build left, into a copy of dist/. */
async function linkWithNames(variant) {
  const env = await toolchainEnv();
  const dir = wasmBuildDir(variant);
  const commands = await run('ninja', ['-C', dir, '-t', 'commands', 'kvscope'], {
    env,
    show: 'never',
  });
  const link = commands.trim().split('\n').at(-1);
  const file = `kvscope-${variant}.mjs`;
  const [head, tail] = link.split(` -o ${file} `);
  if (!tail) throw new Error(`cannot read the link command of ${variant}: ${link}`);
  const out = path.join(profileDist, file);
  const command = `${head} --profiling-funcs -o ${out} ${tail}`;
  await run('bash', ['-c', command], { env, cwd: dir });
}

/** The operator that an engine function belongs to: the first whose pattern its name has. */
const operators = [
  ['rope, K and V into the cache', /rotate_and_cache|rope|cos_sin|kv_store|kv_row_bytes/],
  ['attention', /[aA]ttention|attend|softmax_step|score_run|mix_run|to_floats/],
  ['quantise activations', /Activations::prepare|quantise/],
  ['matrix × vector', /gemv|finish_part/],
  ['matrix × matrix', /gemm|matmul|micro<|multiply|unpack_(nibbles|bytes)|widen|write_group/],
  ['norm', /rms_norm|layer_norm|norm_all/],
  ['SwiGLU', /swiglu|silu|gelu|ffn_block/],
  [
    'sampling and top candidates',
    /sampl|candidate|Normaliser|sum_exp|max_of|select_largest|vector<float.*assign/i,
  ],
  // The compiler puts the short operators into the function that calls them.
  ['embedding, SwiGLU, what is between operators', /run_pass|unpack_quant_row/],
  ['waiting for threads', /ThreadPool::(worker|dispatch)|futex|_wait|js-to-wasm/],
];

function operatorOf({ name, isWasm }) {
  if (/^\((idle|program|root)\)$/.test(name)) return 'idle';
  if (name === '(garbage collector)') return 'garbage collection';
  if (!isWasm) return name === 'postMessage' ? 'messages to the page' : 'JavaScript of the worker';
  return operators.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
}

/** A C++ name without its arguments, and for a loop over threads the function that it is part of. */
function shortName({ name, isWasm }) {
  if (!isWasm) return name;
  const owner = /((?:ForwardPass|Activations)::(?!for_each_token)\w+)\(/.exec(name);
  if (owner && name.includes('ThreadPool::split<')) return `${owner[1]} (loop)`;
  return name
    .replaceAll(/\(anonymous namespace\)::|kvscope::|^void /g, '')
    .replaceAll('(PackedFormat)', '')
    .replace(/\(.*$/, '');
}

/** name → microseconds, summed over the samples, largest first. */
function totals(samples, nameOf) {
  const sums = new Map();
  for (const sample of samples) {
    const name = nameOf(sample);
    sums.set(name, (sums.get(name) ?? 0) + sample.us);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

/** Work is repeated until it has taken this long, so that there are samples enough. */
const leastMs = 500;

/** Samples one piece of work; threads: the samples of each engine thread. */
async function sampleWork(engine, label, tokens, work) {
  const categories = [
    'disabled-by-default-v8.cpu_profiler',
    'disabled-by-default-v8.cpu_profiler.hires',
    'blink.user_timing',
  ];
  await engine.browser.startTracing(engine.page, { categories });
  const mark = (name) => engine.page.evaluate((n) => void performance.mark(n), name);
  await mark('bench-begin');
  let [ms, repeats] = [0, 0];
  for (; ms < leastMs; repeats++) ms += (await work()).ms;
  await mark('bench-end');
  const trace = JSON.parse((await engine.browser.stopTracing()).toString());
  const threads = readTrace(trace, 'bench-begin', 'bench-end').filter(({ samples }) =>
    samples.some(({ isWasm }) => isWasm),
  );
  if (threads.length === 0) throw new Error('the profiler saw no WebAssembly function');
  return { label, tokens: tokens * repeats, ms, threads };
}

function summary({ label, tokens, ms, threads }) {
  return {
    label,
    msPerToken: ms / tokens,
    threads: threads.map(({ samples }) => {
      const busy = samples.filter((sample) => operatorOf(sample) !== 'idle');
      const all = busy.reduce((sum, { us }) => sum + us, 0);
      const rows = (nameOf, limit) =>
        totals(busy, nameOf)
          .slice(0, limit)
          .map(([name, us]) => ({ name, msPerToken: us / 1000 / tokens, share: us / all }));
      return { samples: busy.length, operators: rows(operatorOf), functions: rows(shortName, 20) };
    }),
  };
}

function print(build, { label, msPerToken, threads }) {
  console.log(`\n${build}: ${label}: ${short(msPerToken)} ms a token by the engine's clock`);
  threads.forEach(({ operators, functions, samples }, i) => {
    const rows = (list) =>
      list.map((r) => [short(r.msPerToken), percent(r.share), r.name.slice(0, 100)]);
    console.log(`\nthread ${i + 1} of ${threads.length}, ${samples} samples`);
    console.log(table(['ms', 'share', 'operator'], rows(operators)));
    console.log(`\n${table(['ms', 'share', 'function'], rows(functions))}`);
  });
}

async function profileBuild(baseUrl, name, options) {
  const engine = await openEngine(baseUrl, name, options);
  const { call } = engine;
  try {
    const most = engine.info.contextLength - options.decodeTokens - 1;
    const contexts = [16, 1000].filter((n) => n <= most);
    const length = Math.min(512, most);
    const { ids } = await call('prompt', length, 1);
    await call('openPrefill', length);
    for (const context of contexts) {
      const { ids } = await call('prompt', context, 1);
      await call('openDecode', ids, options.decodeTokens);
    }
    const works = [
      ...contexts.map((n) => [
        `decode @${n}`,
        options.decodeTokens,
        () => call('decode', n, options.decodeTokens),
      ]),
      [`prefill ${length}`, length, () => call('prefill', ids)],
    ];
    for (let i = 0; i < 3; i++) for (const [, , work] of works) await work(); // compiled for speed
    const found = [];
    for (const [label, tokens, work] of works) {
      found.push(summary(await sampleWork(engine, label, tokens, work)));
      print(name, found.at(-1));
    }
    return { build: name, works: found };
  } finally {
    await engine.close();
  }
}

export async function profile(options, newReport, say) {
  fs.rmSync(profileDist, { recursive: true, force: true });
  fs.cpSync(distDir, profileDist, { recursive: true });
  const report = { ...(await newReport(options)), profiles: [] };
  for (const name of options.builds) {
    await linkWithNames(name);
    const server = await serveBench(options.modelFile, { dist: profileDist });
    try {
      report.profiles.push(await profileBuild(server.url, name, options));
    } finally {
      await server.close();
    }
  }
  say(`written to ${saveReport('profile', report)}`);
}
