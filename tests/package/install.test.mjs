// The tarball as a stranger installs it: npm install into an empty folder, then import and npx.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { refuseLink } from '../../build-scripts/setup/npm-packages.mjs';
import { root, runNode } from './packed.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kvscope-install-'));
after(() => fs.rmSync(folder, { recursive: true }));

test('npm install of the tarball brings what kvscope/api and npx kvscope need, and no more', async () => {
  const npm = (...args) => execFileSync('npm', args, { cwd: folder, encoding: 'utf8' });
  const pack = ['pack', root, '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(npm(...pack));
  // What set-up has downloaded is taken from npm's own cache.
  npm(
    'install',
    `./${filename}`,
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  );
  const installed = fs
    .readdirSync(path.join(folder, 'node_modules'))
    .filter((name) => name[0] !== '.');
  assert.deepEqual(installed, [
    '@lit',
    '@lit-labs',
    '@types',
    'kvscope',
    'lit',
    'lit-element',
    'lit-html',
  ]);

  const script = `import { loadModel } from 'kvscope/api';
    const model = await loadModel();
    console.log(model.info.layers);`;
  const api = await runNode(['--input-type=module', '-e', script], { cwd: folder });
  assert.equal(api.code, 0, api.err);
  assert.ok(Number(api.out) > 0);

  const npx = (...args) => npm('exec', '--offline', '--', 'kvscope', ...args);
  assert.equal(npx('run', 'default', '바다 색깔은'), '바다 색깔은 파랗다.\n');
  assert.equal(JSON.parse(npx('inspect', 'default', '--json')).layers, Number(api.out));
});

test('set-up refuses to run npm ci through a linked node_modules', () => {
  const link = path.join(folder, 'linked');
  fs.symlinkSync(path.join(folder, 'node_modules'), link);
  assert.throws(() => refuseLink(link), /is a link to .* npm ci would empty/);
  refuseLink(path.join(folder, 'node_modules'));
  refuseLink(path.join(folder, 'nothing'));
});
