// The CMake builds: three WebAssembly variants and the native ones. Each has a folder of its own
// under build/, so that a change compiles only what it touches.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { at } from './paths.mjs';
import { run, which } from './run.mjs';

export const variants = {
  simd: [],
  relaxed: ['-DKVSCOPE_RELAXED=ON'],
  'relaxed-threads': ['-DKVSCOPE_RELAXED=ON', '-DKVSCOPE_THREADS=ON'],
};

export const wasmBuildDir = (variant, debug = false) =>
  at('build', `${variant}${debug ? '-debug' : ''}`);

/** Says how far a compilation is, every ten seconds, from ninja's or make's own counts. */
function progressOf(name) {
  let next = performance.now() + 10_000;
  return (text) => {
    const counts = text.match(/\[ *(\d+\/\d+|\d+%)\]/g);
    if (!counts || performance.now() < next) return;
    next = performance.now() + 10_000;
    console.log(`  compiling ${name} ${counts.at(-1)}`);
  };
}

const compile = (name, dir, jobs, targets, env) =>
  run('cmake', ['--build', dir, '--parallel', String(jobs), ...targets], {
    env,
    onText: progressOf(name),
  });

async function configure(dir, options, env) {
  const generator = which('ninja') ? ['-G', 'Ninja'] : [];
  const args = ['-S', at(), '-B', dir, ...generator, ...options];
  // The same command as last time: CMake's own rules re-run it when a CMake file changes.
  const stamp = path.join(dir, '.configured');
  const wanted = JSON.stringify([args, env.EMSCRIPTEN_CMAKE_TOOLCHAIN, env.XSIMD_INCLUDE_DIR]);
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return;
  await run('cmake', args, { env });
  fs.writeFileSync(stamp, wanted);
}

/**
 * Builds targets of one WebAssembly variant; resolves to the build folder.
 * env: from toolchainEnv(). jobs: how many compilers may run at once.
 */
export async function buildWasm(variant, targets, { env, debug = false, jobs = os.cpus().length }) {
  const dir = wasmBuildDir(variant, debug);
  const options = [
    ...variants[variant],
    `-DCMAKE_TOOLCHAIN_FILE=${env.EMSCRIPTEN_CMAKE_TOOLCHAIN}`,
    `-DKVSCOPE_DEBUG=${debug ? 'ON' : 'OFF'}`,
    `-DKVSCOPE_CLOSURE=${env.EM_CLOSURE_COMPILER ? 'ON' : 'OFF'}`,
  ];
  await configure(dir, options, env);
  await compile(variant, dir, jobs, ['--target', ...targets], env);
  return dir;
}

/** Builds the native tests; name is the folder under build/, options are CMake's. */
export async function buildNative(name, options, { env = {}, jobs = os.cpus().length } = {}) {
  const dir = at('build', name);
  await configure(dir, options, env);
  await compile(name, dir, jobs, [], env);
  return dir;
}
