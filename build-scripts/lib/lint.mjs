// The formatters and checkers; each is one check of `npm test`.
import fs from 'node:fs';
import path from 'node:path';
import { clangFormatPath } from '../setup/clang-format.mjs';
import { at } from './paths.mjs';
import { run } from './run.mjs';

const biome = at('node_modules/@biomejs/biome/bin/biome');
const tsc = at('node_modules/typescript/bin/tsc');

function cppFiles() {
  const files = [];
  for (const dir of ['engine', 'tests']) {
    if (!fs.existsSync(at(dir))) continue;
    for (const entry of fs.readdirSync(at(dir), { withFileTypes: true, recursive: true })) {
      if (entry.isFile() && /\.(cpp|hpp)$/.test(entry.name)) {
        files.push(path.join(entry.parentPath ?? entry.path, entry.name));
      }
    }
  }
  return files.sort();
}

const allowFailure = { allowFailure: true, show: 'never' };
const clangFormat = (...args) => run(clangFormatPath, [...args, ...cppFiles()], allowFailure);
const node = (...args) => run(process.execPath, args, allowFailure);

/** name → function that resolves to { code, output } */
export const checks = {
  'clang-format': () => clangFormat('--dry-run', '--Werror'),
  biome: () => node(biome, 'check', '--max-diagnostics=50', '--colors=off', at()),
  'tsc --noEmit': () => node(tsc, '-p', at('tsconfig.json'), '--pretty', 'false'),
};

/** Rewrites files so that the first two checks pass, as far as a tool can. */
export const fixes = {
  'clang-format': () => clangFormat('-i'),
  biome: () => node(biome, 'check', '--write', '--max-diagnostics=50', '--colors=off', at()),
};
