// dist/integrity.json: what a page writes in integrity="…" when it takes a script from a CDN.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { distDir } from './paths.mjs';

const NAMED_BY_PAGES = ['kvscope.js', 'kvscope-api.js'];

export function writeIntegrity() {
  const hash = (name) => {
    const bytes = fs.readFileSync(path.join(distDir, name));
    return `sha384-${crypto.createHash('sha384').update(bytes).digest('base64')}`;
  };
  const hashes = Object.fromEntries(NAMED_BY_PAGES.map((name) => [name, hash(name)]));
  fs.writeFileSync(path.join(distDir, 'integrity.json'), `${JSON.stringify(hashes, null, 2)}\n`);
}
