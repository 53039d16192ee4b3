// The command line of `npm run bench`.
import fs from 'node:fs';
import path from 'node:path';
import { at } from '../lib/paths.mjs';
import { UserError } from '../lib/run.mjs';
import { modelPath } from '../setup/model.mjs';

export const usage = `npm run bench -- [options]
  --runs N        interleaved runs of each measurement (7; with --quick 3)
  --quick         about a minute: fewer lengths, fewer runs
  --model M       real (SmolLM2-135M, the default), default (the one that comes with kvscope) or a .gguf file
  --only A,B      builds (simd, relaxed, relaxed-threads), measurements (prefill, decode, messages, load, memory,
                  first-token), peers (native, native-q4_0, ort-q8, wllama-3, wllama-2)
  --precision P   fast or high; --kv-type f16, f32 or q8_0
  --peers         beside wllama, ONNX Runtime Web and native llama.cpp (docs/benchmarks.md)
  --profile       where a token's time goes, by function
  --no-build      measures dist/ as it is`;

export const defaultModelPath = at('dist/models/kvscope-tiny.gguf');
export const builds = {
  simd: { build: 'simd', threads: 1, ceiling: 'simd' },
  relaxed: { build: 'relaxed', threads: 1, ceiling: 'relaxed' },
  'relaxed-threads': { build: 'relaxed-threads', threads: 2, ceiling: 'relaxed' },
};
const measurements = ['prefill', 'decode', 'messages', 'load', 'memory', 'first-token'];
const peerNames = ['native', 'native-q4_0', 'ort-q8', 'wllama-3', 'wllama-2'];

const flags = ['--quick', '--peers', '--profile', '--no-build', '--help'];
const values = ['--runs', '--model', '--only', '--precision', '--kv-type'];

function parse(args) {
  const given = {};
  for (let i = 0; i < args.length; i++) {
    const [name, inline] = args[i].split('=');
    if (flags.includes(name)) given[name] = true;
    else if (values.includes(name)) given[name] = inline ?? args[++i];
    else throw new UserError(`no option '${args[i]}'\n${usage}`);
    if (given[name] === undefined) throw new UserError(`${name} needs a value\n${usage}`);
  }
  return given;
}

function findModel(name) {
  const file =
    name === 'real' ? modelPath : name === 'default' ? defaultModelPath : path.resolve(name);
  if (fs.existsSync(file)) return file;
  throw new UserError(
    name === 'real'
      ? `${file} is not there. Run: npm run setup`
      : `there is no model '${file}'. --model takes real, default or a .gguf file`,
  );
}

function checked(value, allowed, name) {
  if (allowed.includes(value)) return value;
  throw new UserError(`${name} can be ${allowed.join(', ')}, not '${value}'`);
}

/** What to measure, from the command line's arguments. */
export function readOptions(args) {
  const given = parse(args);
  const quick = Boolean(given['--quick']);
  const runs = Number(given['--runs'] ?? (quick ? 3 : 7));
  if (!(Number.isInteger(runs) && runs > 0))
    throw new UserError(`--runs can be 1 or more, not '${given['--runs']}'`);
  const only = (given['--only']?.split(',') ?? []).map((name) =>
    checked(name, [...Object.keys(builds), ...measurements, ...peerNames], '--only'),
  );
  const chosen = (all) =>
    only.some((name) => all.includes(name)) ? all.filter((name) => only.includes(name)) : all;
  return {
    help: Boolean(given['--help']),
    quick,
    runs,
    peers: Boolean(given['--peers']),
    profile: Boolean(given['--profile']),
    rebuild: !given['--no-build'],
    modelFile: given['--help'] ? undefined : findModel(given['--model'] ?? 'real'),
    builds: chosen(Object.keys(builds)),
    measurements: chosen(measurements),
    peerNames: chosen(peerNames),
    precision: checked(given['--precision'] ?? 'fast', ['fast', 'high'], '--precision'),
    kvType: checked(given['--kv-type'] ?? 'f16', ['f16', 'f32', 'q8_0'], '--kv-type'),
    prompts: quick ? [16, 128, 512] : [16, 128, 512, 2000],
    contexts: quick ? [16, 1000] : [16, 1000, 2000, 4000],
    decodeTokens: quick ? 32 : 64,
  };
}
