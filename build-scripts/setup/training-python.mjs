// Python that can make virtual environments: the training keeps its packages in one. Debian has venv
// in a package of its own.
import { run, UserError, which } from '../lib/run.mjs';
import { aptHint, aptInstall, canInstall } from './apt.mjs';

const packages = ['python3', 'python3-venv'];

export const trainingPython = {
  title: 'Python with venv (for the training of the default model)',
  async isDone() {
    if (!which('python3')) return false;
    const options = { show: 'never', allowFailure: true };
    return (await run('python3', ['-c', 'import venv, ensurepip'], options)).code === 0;
  },
  async run() {
    if (canInstall()) return aptInstall(packages);
    throw new UserError(`missing: python3 with its venv module. ${aptHint(packages)}`);
  },
};
