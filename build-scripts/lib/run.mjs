// Running programs and telling the user what happens.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

export const seconds = (ms) => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;

/** A failure that the user can do something about: printed without a stack. */
export class UserError extends Error {}

/**
 * Runs a program; resolves to its output (stdout and stderr together) or rejects with a UserError.
 * show: 'live' prints while it runs, 'failure' only when it fails, 'never' leaves it to the caller.
 * With allowFailure the exit code is in the result instead: { code, output }.
 * onText(text) sees the output as it comes.
 */
export function run(command, args, options = {}) {
  const {
    env,
    cwd = root,
    show = 'failure',
    allowFailure = false,
    shell = false,
    onText,
  } = options;
  const live = show === 'live';
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      shell,
      env: { ...process.env, ...env },
      stdio: [
        'ignore',
        live && !allowFailure ? 'inherit' : 'pipe',
        live && !allowFailure ? 'inherit' : 'pipe',
      ],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
        onText?.(text);
        if (live) process.stdout.write(text);
      });
    }
    child.on('error', (error) =>
      reject(new UserError(`cannot start ${command}: ${error.message}`)),
    );
    child.on('close', (code, signal) => {
      if (allowFailure) return resolve({ code: code ?? 1, output });
      if (code === 0) return resolve(output);
      if (show === 'failure') process.stderr.write(output);
      reject(new UserError(`${path.basename(command)} failed (${signal ?? `exit code ${code}`})`));
    });
  });
}

/** The full path of a program on PATH, or undefined. */
export function which(name) {
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  for (const dir of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const suffix of suffixes) {
      const file = path.join(dir, name + suffix);
      if (dir && fs.existsSync(file) && fs.statSync(file).isFile()) return file;
    }
  }
  return undefined;
}

/** npm, as the npm that runs this script, or the one on PATH. */
export function npm(args, options) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js')) return run(process.execPath, [cli, ...args], options);
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
}

/** Bytes in all files under a folder; 0 when there is none. */
export function bytesUnder(dir) {
  let bytes = 0;
  for (const entry of fs.readdirSync(dir, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    // A file can go while this looks.
    bytes +=
      fs.statSync(path.join(entry.parentPath ?? entry.path, entry.name), { throwIfNoEntry: false })
        ?.size ?? 0;
  }
  return bytes;
}

/** Main function of a script: prints a failure, sets the exit code. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof UserError ? `\nerror: ${error.message}` : error);
    process.exitCode = 1;
  }
}
