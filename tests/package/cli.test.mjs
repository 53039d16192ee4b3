// kvscope run, bench and inspect, as they are installed.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { packIntoProject, runNode } from './packed.mjs';

const { project, dir, remove } = packIntoProject();
after(remove);
const cli = path.join(
  dir,
  JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8')).bin.kvscope,
);
const model = path.join(dir, 'dist/models/kvscope-tiny.gguf');
const kvscope = (args, options = {}) => runNode([cli, ...args], { cwd: project, ...options });

test('run continues a prompt, given as an argument or on standard input', async () => {
  const typed = await kvscope(['run', model, '바다 색깔은']);
  assert.deepEqual([typed.code, typed.out], [0, '바다 색깔은 파랗다.\n']);
  assert.match(typed.err, /\[stop\] input 4 tokens, .* output 3 tokens/);
  const piped = await kvscope(['run', 'default'], { input: 'The color of the sea is\n' });
  assert.deepEqual([piped.code, piped.out], [0, 'The color of the sea is blue.\n']);
});

test('the same seed writes the same text, another one another', async () => {
  const args = ['run', model, '어느 날', '--temperature', '1', '--max-tokens', '40', '--seed'];
  const [a, b, c] = [
    await kvscope([...args, '1']),
    await kvscope([...args, '1']),
    await kvscope([...args, '2']),
  ];
  assert.equal(a.out, b.out);
  assert.notEqual(a.out, c.out);
});

test('Ctrl-C ends a run with code 130 and keeps what was written', async () => {
  const args = [
    'run',
    model,
    '어느 날',
    '--temperature',
    '1',
    '--ignore-eos',
    '--max-tokens',
    '500',
  ];
  const { code, out, err } = await kvscope(args, { stopAfter: 20 });
  assert.equal(code, 130);
  assert.ok(out.startsWith('어느 날') && out.length > 20);
  assert.match(err, /\[abort\]/);
});

test('inspect tells the shapes and what the cache takes', async () => {
  const { code, out } = await kvscope(['inspect', model, '--json']);
  assert.equal(code, 0);
  const { layers, kvHeads, headDim, kvBytesPerToken } = JSON.parse(out);
  assert.equal(kvBytesPerToken.f16, 2 * 2 * layers * kvHeads * headDim);
  assert.equal(kvBytesPerToken.f32, 2 * kvBytesPerToken.f16);
  const shown = (await kvscope(['inspect', model])).out;
  assert.match(shown, /architecture +llama/);
  assert.match(shown, /\n {2}general\.architecture +"llama"\n/); // metadata
  assert.match(shown, /\n {2}token_embd\.weight +\[\d+, \d+\] +Q\d_\d +\d+ bytes\n/); // tensors
});

test('bench gives a rate for each run', async () => {
  const { code, out } = await kvscope(['bench', model, '--runs', '2', '--json']);
  assert.equal(code, 0);
  const { prefill, decode } = JSON.parse(out);
  assert.ok(
    prefill.length === 2 &&
      decode.length === 2 &&
      [...prefill, ...decode].every((rate) => rate > 0),
  );
});

test('one thread is what Node has: --threads 1 runs, more is refused with the reason', async () => {
  const one = await kvscope(['run', model, '바다 색깔은', '--threads', '1']);
  assert.deepEqual([one.code, one.out], [0, '바다 색깔은 파랗다.\n']);
  for (const command of ['run', 'bench']) {
    const { code, out, err } = await kvscope([command, model, '--threads', '2'], { input: 'x' });
    assert.deepEqual([code, out], [1, ''], command);
    assert.match(err, /^kvscope: build-unavailable: --threads 2: .* Node/);
  }
  assert.equal((await kvscope(['run', model, 'x', '--threads', '1.5'])).code, 2);
});

test('a broken file, a missing one and wrong usage are said with code and reason', async () => {
  const broken = path.join(project, 'broken.gguf');
  fs.writeFileSync(broken, fs.readFileSync(model).subarray(0, 5000));
  for (const command of ['run', 'inspect', 'bench']) {
    const { code, err } = await kvscope([command, broken], { input: 'x' });
    assert.equal(code, 1, command);
    assert.match(err, /^kvscope: truncated: /);
  }
  assert.match((await kvscope(['run', 'nowhere.gguf', 'x'])).err, /^kvscope: http: .*404/);
  for (const args of [
    [],
    ['fly'],
    ['run'],
    ['run', model, 'x', '--seed', 'one'],
    ['run', model, '--wings', 'x'],
  ]) {
    const { code, err } = await kvscope(args);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, /kvscope/);
  }
});
