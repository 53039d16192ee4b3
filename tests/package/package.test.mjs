// The npm package: what it exports, its types, and the engine under Node.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packIntoProject, root, runNode } from './packed.mjs';

const { project, tarball, dir, remove } = packIntoProject();
after(remove);
const manifest = JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8'));
const bin = (name) => path.join(root, 'node_modules', name);

function compile(name, compilerOptions, source) {
  fs.writeFileSync(path.join(project, `${name}.ts`), source);
  const options = {
    strict: true,
    noEmit: true,
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'ESNext.Disposable'],
    types: [],
  };
  const config = path.join(project, `${name}.json`);
  const contents = { compilerOptions: { ...options, ...compilerOptions }, files: [`${name}.ts`] };
  fs.writeFileSync(config, JSON.stringify(contents));
  return runNode([bin('typescript/bin/tsc'), '-p', config], { cwd: project });
}

test('publint finds nothing', async () => {
  const { messages } = await publint({ pkgDir: dir, level: 'suggestion' });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, manifest)),
    [],
  );
});

test('its types resolve under every module resolution (arethetypeswrong)', async () => {
  const ignored = ['--exclude-entrypoints', './dist/*', './custom-elements.json'];
  const args = [tarball, '--profile', 'esm-only', '--no-color', ...ignored];
  const { code, out, err } = await runNode([bin('@arethetypeswrong/cli/dist/index.js'), ...args], {
    cwd: project,
  });
  assert.equal(code, 0, out + err);
});

const SOURCE = `import { loadModel, KvScopeError, type Step } from 'kvscope/api';
import { KvScopeElement } from 'kvscope';
export async function texts(): Promise<string[]> {
  const model = await loadModel(undefined, { precision: 'high' });
  const session = await model.createSession({ contextLength: 64, kvType: 'q8_0' });
  const steps: Step[] = [];
  for await (const step of session.generate({ maxTokens: 3 })) steps.push(step);
  return steps.map(({ text }) => text);
}
export const element = new KvScopeElement();
element.prompt = 'a';
// @ts-expect-error: no such type of cache
loadModel().then((model) => model.createSession({ kvType: 'f8' }));
export const code = new KvScopeError('closed', '').code;
`;

for (const [name, options] of Object.entries({
  bundler: { module: 'ESNext', moduleResolution: 'bundler' },
  node16: { module: 'node16', moduleResolution: 'node16' },
})) {
  test(`a TypeScript project with moduleResolution ${name} compiles`, async () => {
    const { code, out } = await compile(name, options, SOURCE);
    assert.equal(code, 0, out);
  });
}

test('kvscope/api runs under Node: the default model says what colour the sea is', async () => {
  const script = `import { errorTable, loadModel, KvScopeError } from 'kvscope/api';
    const model = await loadModel();
    const session = await model.createSession();
    await session.prefill('바다 색깔은');
    let text = '';
    for await (const step of session.generate({ maxTokens: 8 })) text += step.text;
    const code = await loadModel('nothing.gguf').catch((error) => error instanceof KvScopeError && error.code);
    const meaning = (await errorTable())[code].en;
    console.log(JSON.stringify({ text, code, meaning, kv: session.kv.tokens }));`;
  const { code, out, err } = await runNode(['--input-type=module', '-e', script], { cwd: project });
  assert.equal(code, 0, err); // it ends by itself, with the model still open
  const result = JSON.parse(out);
  assert.equal(result.text.trim(), '파랗다.');
  assert.equal(result.code, 'http');
  assert.equal(result.meaning, 'The server answered with an error.');
  assert.equal(result.kv, 6);
});

test('the API alone brings no element and no Lit', () => {
  const source = fs.readFileSync(path.join(dir, 'dist/kvscope-api.js'), 'utf8');
  assert.ok(!/customElements|HTMLElement|lit\$/.test(source));
  assert.ok(!manifest.sideEffects.some((file) => file.includes('api')));
});

test('custom-elements.json names the attributes, events, slots and parts of the element', () => {
  const { modules } = JSON.parse(
    fs.readFileSync(path.join(dir, 'dist/custom-elements.json'), 'utf8'),
  );
  const element = modules
    .flatMap(({ declarations }) => declarations)
    .find(({ name }) => name === 'KvScopeElement');
  const names = (list) => list.map(({ name }) => name).sort();
  assert.ok(names(element.attributes).includes('max-tokens'));
  assert.deepEqual(names(element.events), [
    'kv-done',
    'kv-error',
    'kv-prefill',
    'kv-progress',
    'kv-ready',
    'kv-token',
  ]);
  assert.deepEqual(names(element.slots), ['fallback', 'poster']);
  assert.deepEqual(names(element.cssParts), ['button', 'caption', 'tokens', 'view']);
});

test('integrity.json has the hashes of the scripts in the package, and the README points to it', () => {
  const read = (name) => fs.readFileSync(path.join(dir, name));
  const hashes = Object.entries(JSON.parse(read('dist/integrity.json')));
  assert.equal(hashes.length, 2);
  for (const [name, hash] of hashes) {
    const digest = crypto
      .createHash('sha384')
      .update(read(`dist/${name}`))
      .digest('base64');
    assert.equal(hash, `sha384-${digest}`, name);
  }
  assert.match(
    String(read('README.md')),
    /dist\/integrity\.json[\s\S]{0,200}<script .*integrity="/,
  );
});
