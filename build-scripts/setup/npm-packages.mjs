// node_modules exactly as package-lock.json says.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { at } from '../lib/paths.mjs';
import { npm, UserError } from '../lib/run.mjs';

const stamp = at('node_modules', '.kvscope-lock');
const lockHash = () =>
  createHash('sha256')
    .update(fs.readFileSync(at('package-lock.json')))
    .digest('hex');

/** npm ci empties the folder before it fills it: through a link, that of another checkout. */
export function refuseLink(modules) {
  if (!fs.lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new UserError(
    `${modules} is a link to ${fs.readlinkSync(modules)}, which npm ci would empty. Remove the link (or copy the folder with cp -al) and run it again.`,
  );
}

export const npmPackages = {
  title: 'npm packages (about 280 MB on disk, a quarter of a minute)',
  isDone: () => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === lockHash(),
  async run() {
    refuseLink(at('node_modules'));
    await npm(['ci', '--no-progress', '--no-audit', '--no-fund', '--loglevel=error']);
    fs.writeFileSync(stamp, lockHash());
  },
};
