// The programs that CMake builds need, and Python with pip (emcc, clang-format, the model).
import { UserError, which } from '../lib/run.mjs';
import { aptHint, aptInstall, canInstall } from './apt.mjs';

const programs = {
  cmake: 'cmake',
  ninja: 'ninja-build',
  'g++': 'g++',
  python3: 'python3',
  pip3: 'python3-pip',
};
const alternatives = {
  'g++': ['c++', 'clang++', 'cl'],
  python3: ['python'],
  pip3: ['pip'],
  ninja: ['make'],
};

const missing = () =>
  Object.keys(programs).filter((name) => ![name, ...(alternatives[name] ?? [])].some(which));

export const nativeTools = {
  title: 'build tools (cmake, ninja, a C++20 compiler, python3 with pip)',
  isDone: () => missing().length === 0,
  async run() {
    const names = missing();
    const packages = names.map((name) => programs[name]);
    if (!canInstall()) {
      throw new UserError(
        `missing: ${names.join(', ')}. Install them and try again.\n  ${aptHint(packages)}\n` +
          '  macOS: xcode-select --install; brew install cmake ninja python\n' +
          '  Windows: winget install Kitware.CMake Ninja-build.Ninja Python.Python.3.12, and Visual Studio Build Tools',
      );
    }
    await aptInstall(packages);
  },
};
