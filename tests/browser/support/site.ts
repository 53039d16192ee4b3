// The built dist/, served as a test wants it, with model files that the tests write beside it.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base, type Page } from '@playwright/test';
import { createStaticServer, type StaticServer } from '../../../build-scripts/serve.mjs';
import type * as kvscope from '../../../web/src/api/index';
import { tinyLlama } from './tiny-llama';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
/** The built folder under test. */
export const distDir = process.env.KVSCOPE_DIST ?? here('../../../dist');
const models = here('../../../.models');

/** ChatML, as SmolLM2 has it, in a few lines. */
const CHATML =
  "{% for m in messages %}{{'<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>' + '\\n'}}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

const HARNESS = `<!doctype html><html lang="en"><title>harness</title><link rel="icon" href="/icon.svg">
<script type="module" src="/test-files/harness.js"></script>`;

const HARNESS_SCRIPT = `import * as kvscope from '/kvscope.js';
window.kvscope = kvscope;
window.collect = async (steps) => { const all = []; for await (const step of steps) all.push(step); return all; };
window.failure = async (promise) => {
  try { await promise; return null; }
  catch (error) { return { name: error.name, code: error.code, message: error.message }; }
};`;

declare global {
  interface Window {
    kvscope: typeof kvscope;
    collect<T>(steps: AsyncIterable<T>): Promise<T[]>;
    /** How a promise failed; null when it did not. */
    failure(
      promise: Promise<unknown>,
    ): Promise<{ name: string; code: string; message: string } | null>;
  }
}

function writeTestFiles(dir: string): void {
  const write = (name: string, data: Buffer | string) =>
    fs.writeFileSync(path.join(dir, name), data);
  const tiny = tinyLlama();
  write('tiny.gguf', tiny);
  write('tiny-chat.gguf', tinyLlama({ chatTemplate: CHATML }));
  write('tiny-described.gguf', tinyLlama({ description: 'A llama of random numbers.' }));
  // 4.6 million weights more: enough that threads are worth it.
  write('wide.gguf', tinyLlama({ ffnDim: 12_000 }));
  write('wide-chat.gguf', tinyLlama({ ffnDim: 12_000, chatTemplate: CHATML }));
  write('other.gguf', tinyLlama({ seed: 2 }));
  write('truncated.gguf', tiny.subarray(0, tiny.length / 2));
  write('unknown-architecture.gguf', tinyLlama({ architecture: 'perceptron' }));
  write('page.gguf', '<!doctype html><html><title>Sign in</title><p>Please sign in.</html>');
  write('harness.html', HARNESS);
  write('harness.js', HARNESS_SCRIPT);
}

interface Fixtures {
  /**
   * COOP and COEP headers. Off unless a test is about threads: with them the engine takes every core,
   * and what the tests check is the same on one.
   */
  isolated: boolean;
  site: StaticServer;
  /** A page with the API in `window.kvscope`, and nothing else. */
  harness: Page;
}

export const test = base.extend<Fixtures, { server: StaticServer }>({
  isolated: [false, { option: true }],

  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const files = fs.mkdtempSync(path.join(os.tmpdir(), 'kvscope-tests-'));
      writeTestFiles(files);
      const mounts = { '/test-files/': files, '/models/real/': models };
      const server = await createStaticServer(distDir, { mounts, faults: true });
      await use(server);
      await server.close();
      fs.rmSync(files, { recursive: true });
    },
    { scope: 'worker' },
  ],

  site: async ({ server, isolated }, use) => {
    Object.assign(server.options, { isolated, csp: undefined });
    server.log.length = 0;
    await use(server);
  },

  harness: async ({ page, site }, use) => {
    await openHarness(page, site);
    await use(page);
  },
});

export async function openHarness(page: Page, site: StaticServer): Promise<void> {
  await page.goto(`${site.url}test-files/harness.html`);
  await page.waitForFunction(() => 'kvscope' in window);
}

export { expect } from '@playwright/test';

/** Random weights: every test can load it. */
export const TINY = '/test-files/tiny.gguf';
export const REAL_MODEL = '/models/real/SmolLM2-135M-Instruct.Q4_1.gguf';
