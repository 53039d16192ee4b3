// Debian packages, installed where that is possible: on a machine with apt, as root.
import fs from 'node:fs';
import { run, which } from '../lib/run.mjs';

export const canInstall = () => Boolean(which('apt-get')) && process.getuid?.() === 0;

/** Installs packages, reading apt's lists first when they are missing. */
export async function aptInstall(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const lists = '/var/lib/apt/lists';
  const haveLists =
    fs.existsSync(lists) && fs.readdirSync(lists).some((f) => f.includes('_Packages'));
  const install = (options) =>
    run(
      'apt-get',
      [
        '-q',
        '-o',
        'DPkg::Lock::Timeout=600',
        'install',
        '-y',
        '--no-install-recommends',
        ...packages,
      ],
      { env, ...options },
    );
  console.log(`  apt-get install ${packages.join(' ')}`);
  if (haveLists) {
    const { code } = await install({ show: 'never', allowFailure: true });
    if (code === 0) return;
  }
  await run('apt-get', ['-q', 'update'], { env });
  await install();
}

export const aptHint = (packages) => `Debian, Ubuntu: sudo apt-get install ${packages.join(' ')}`;
