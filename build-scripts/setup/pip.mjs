// pip, without asking it to touch the system's Python.
import { run, which } from '../lib/run.mjs';

export function pip(args, options = {}) {
  const python = which('python3') ?? which('python') ?? 'python3';
  const env = {
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PIP_ROOT_USER_ACTION: 'ignore',
    ...options.env,
  };
  return run(python, ['-m', 'pip', ...args], { ...options, env });
}
