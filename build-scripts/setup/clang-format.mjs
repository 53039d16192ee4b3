// clang-format of one fixed version: another one formats differently. PyPI has it for every system.
import fs from 'node:fs';
import path from 'node:path';
import { toolsDir } from '../lib/paths.mjs';
import { pip } from './pip.mjs';

const version = '19.1.7';
const dir = path.join(toolsDir, `clang-format-${version}`);
export const clangFormatPath = path.join(
  dir,
  'clang_format/data/bin',
  process.platform === 'win32' ? 'clang-format.exe' : 'clang-format',
);

export const clangFormat = {
  title: `clang-format ${version} (2 MB)`,
  isDone: () => fs.existsSync(clangFormatPath),
  async run() {
    await pip([
      'install',
      '--quiet',
      '--no-deps',
      '--upgrade',
      '--target',
      dir,
      `clang-format==${version}`,
    ]);
  },
};
