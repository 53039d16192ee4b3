// node_modules exactly as package-lock.json says.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { at } from '../lib/paths.mjs';
import { npm } from '../lib/run.mjs';

const stamp = at('node_modules', '.kvscope-lock');
const lockHash = () =>
  createHash('sha256')
    .update(fs.readFileSync(at('package-lock.json')))
    .digest('hex');

export const npmPackages = {
  title: 'npm packages (about 280 MB on disk, a quarter of a minute)',
  isDone: () => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === lockHash(),
  async run() {
    await npm(['ci', '--no-progress', '--no-audit', '--no-fund', '--loglevel=error']);
    fs.writeFileSync(stamp, lockHash());
  },
};
