// Which Emscripten to use, and the environment that its programs want.
import fs from 'node:fs';
import path from 'node:path';
import { at, toolchainDir } from './paths.mjs';
import { run, UserError, which } from './run.mjs';

export const minEmcc = '3.1.69';

/** Compares dotted versions: true when a >= b. */
export function atLeast(a, b) {
  const [x, y] = [a, b].map((v) => v.split('.').map(Number));
  for (let i = 0; i < 3; i++) if ((x[i] ?? 0) !== (y[i] ?? 0)) return (x[i] ?? 0) > (y[i] ?? 0);
  return true;
}

/** The version of the emcc on PATH, from the file beside it (asking emcc itself takes 0.5 s). */
export async function emccOnPath() {
  const emcc = which('emcc');
  if (!emcc) return undefined;
  const root = path.dirname(fs.realpathSync(emcc));
  const file = path.join(root, 'emscripten-version.txt');
  const text = fs.existsSync(file)
    ? fs.readFileSync(file, 'utf8')
    : await run(emcc, ['--version'], { show: 'never', shell: process.platform === 'win32' }).catch(
        () => '',
      );
  const version = text.match(/\d+\.\d+\.\d+/)?.[0];
  return version && { version, root };
}

export const isInstalled = () =>
  fs.existsSync(path.join(toolchainDir, '.complete')) &&
  fs.existsSync(path.join(toolchainDir, 'env.sh'));

/** What a set-up toolchain adds to the environment; { EMSCRIPTEN_CMAKE_TOOLCHAIN, PATH, … }. */
export async function toolchainEnv() {
  const closure = at('node_modules', '.bin', 'google-closure-compiler');
  // Windows: npm's is a .cmd file, which emcc cannot start; emsdk brings its own there.
  const env =
    fs.existsSync(closure) && process.platform !== 'win32' ? { EM_CLOSURE_COMPILER: closure } : {};
  if (isInstalled()) {
    const script = path.join(toolchainDir, 'env.sh');
    const output = await run('bash', ['-c', `. '${script}' && env -0`], { show: 'never' });
    const wanted = /^(EM|XSIMD|DOCTEST|TOOLCHAIN_|PATH$)/;
    for (const line of output.split('\0')) {
      const eq = line.indexOf('=');
      if (wanted.test(line.slice(0, eq))) env[line.slice(0, eq)] = line.slice(eq + 1);
    }
    return env;
  }
  const own = await emccOnPath();
  if (!own || !atLeast(own.version, minEmcc)) {
    throw new UserError(`no Emscripten >= ${minEmcc} here. Run: npm run setup`);
  }
  const cmakeFile = path.join(own.root, 'cmake', 'Modules', 'Platform', 'Emscripten.cmake');
  return { ...env, EMSCRIPTEN_CMAKE_TOOLCHAIN: cmakeFile };
}
