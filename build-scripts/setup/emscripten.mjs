// Emscripten: the one on PATH when it is new enough, else Debian's (build-scripts/toolchain).
import { at, toolchainDir } from '../lib/paths.mjs';
import { run, UserError, which } from '../lib/run.mjs';
import { atLeast, emccOnPath, isInstalled, minEmcc } from '../lib/toolchain.mjs';

const emsdkHint =
  `Install emsdk (https://emscripten.org/docs/getting_started/downloads.html), ${minEmcc} or newer,\n` +
  '  and put emcc on PATH: source emsdk/emsdk_env.sh (Windows: emsdk_env.bat)';

export const emscripten = {
  title:
    'Emscripten, xsimd, doctest (about 320 MB to download when none is installed, half a minute)',
  async isDone() {
    if (isInstalled()) return true;
    if (which('apt-get')) return false; // the script also gets xsimd and doctest
    const own = await emccOnPath();
    return Boolean(own && atLeast(own.version, minEmcc));
  },
  async run() {
    if (!which('apt-get')) {
      const own = await emccOnPath();
      throw new UserError(`emcc on PATH: ${own?.version ?? 'none'}. ${emsdkHint}`);
    }
    try {
      await run('bash', [at('build-scripts/toolchain/install.sh'), toolchainDir], { show: 'live' });
    } catch (error) {
      throw new UserError(`${error.message}\n  Or: ${emsdkHint}`);
    }
  },
};
