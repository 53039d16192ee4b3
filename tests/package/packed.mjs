// The package as `npm pack` makes it, unpacked into a project of its own.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** { project, tarball, dir, remove() }: dir is the package inside the project's node_modules. */
export function packIntoProject() {
  const project = fs.mkdtempSync(path.join(os.tmpdir(), 'kvscope-package-'));
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', project];
  const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }));
  const tarball = path.join(project, filename);
  const modules = path.join(project, 'node_modules');
  const dir = path.join(modules, 'kvscope');
  fs.mkdirSync(dir, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', dir, '--strip-components=1']);
  // What npm would fetch for it.
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8'));
  const wanted = [
    ...Object.keys(dependencies),
    '@lit',
    'lit-html',
    'lit-element',
    '@types/trusted-types',
  ];
  for (const name of wanted) {
    const to = path.join(modules, name);
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.symlinkSync(path.join(root, 'node_modules', name), to);
  }
  fs.writeFileSync(path.join(project, 'package.json'), '{ "type": "module" }');
  return { project, tarball, dir, remove: () => fs.rmSync(project, { recursive: true }) };
}

/** Resolves to { code, out, err }. stopAfter: Ctrl-C once so much was written to standard output. */
export function runNode(args, { cwd, input = '', stopAfter = Number.POSITIVE_INFINITY }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd });
    let [out, err, stopped] = ['', '', false];
    child.stdout.on('data', (text) => {
      out += text;
      const isEnough = out.length > stopAfter;
      if (isEnough && !stopped) child.kill('SIGINT');
      stopped ||= isEnough;
    });
    child.stderr.on('data', (text) => {
      err += text;
    });
    child.on('close', (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });
}
