// The engines that are compared. Each: start() once, then prefill(prompt) and decode(prompt, tokens),
// which resolve to { tokens, ms }, the time being what a caller waits; stop().
import { spawn } from 'node:child_process';
import path from 'node:path';
import readline from 'node:readline';
import { launchChromium, openPage } from '../chromium.mjs';
import { openEngine } from '../engine.mjs';
import { nativePython } from './setup.mjs';

/** kvscope. Times by the page's clock, messages to the worker and back included. */
export class Kvscope {
  constructor(server, build, options) {
    Object.assign(this, { server, build, options, decodes: new Set() });
  }

  async start() {
    this.engine = await openEngine(this.server.url, this.build, this.options);
    this.info = this.engine.info;
    await this.engine.call('openPrefill', Math.min(512, this.info.contextLength - 1));
    return { build: this.info.build, threads: this.info.threads };
  }

  prompt(tokens, seed) {
    return this.engine.call('prompt', tokens, seed);
  }

  async prefill({ ids }) {
    return this.byWall(await this.engine.call('prefill', ids));
  }

  async decode({ ids }, tokens) {
    if (!this.decodes.has(ids.length)) await this.engine.call('openDecode', ids, tokens);
    this.decodes.add(ids.length);
    return this.byWall(await this.engine.call('decode', ids.length, tokens));
  }

  byWall({ wallMs, ms, ...rest }) {
    return { ...rest, ms: wallMs, engineMs: ms };
  }

  stop() {
    return this.engine?.close();
  }
}

/** An engine in a page of ours that has load, prefill and decode on globalThis.peer. */
class PagePeer {
  constructor(server, pageUrl, loadArgs) {
    Object.assign(this, { server, pageUrl, loadArgs });
  }

  async start() {
    this.browser = await launchChromium();
    const { page, failures } = await openPage(this.browser, `${this.server.url}${this.pageUrl}`);
    page.setDefaultTimeout(0); // some take minutes
    await page.waitForFunction(() => globalThis.peer, null, { timeout: 30_000 });
    Object.assign(this, { page, failures });
    return this.call('load', ...this.loadArgs);
  }

  async call(name, ...args) {
    try {
      return await this.page.evaluate(([n, a]) => globalThis.peer[n](...a), [name, args]);
    } catch (error) {
      throw new Error([error.message, ...this.failures].join('\n  '));
    }
  }

  prefill(prompt) {
    return this.call('prefill', prompt);
  }

  decode(prompt, tokens) {
    return this.call('decode', prompt, tokens);
  }

  stop() {
    return this.browser?.close();
  }
}

export function wllama(server, version, modelUrl, threads, contextLength) {
  const query = new URLSearchParams({ version, threads, context: contextLength });
  return new PagePeer(server, `peers/wllama.html?${query}`, [modelUrl]);
}

export function onnxRuntime(server, modelUrl, threads, { layers, kvHeads, headDim }) {
  const args = [modelUrl, { layers, kvHeads, headDim }];
  return new PagePeer(server, `peers/onnxruntime.html?threads=${threads}`, args);
}

/** Native llama.cpp in a process of its own. */
export class Native {
  constructor(modelFile, threads, contextLength) {
    this.args = [modelFile, threads, contextLength].map(String);
  }

  start() {
    const script = path.join(import.meta.dirname, 'native.py');
    this.child = spawn(nativePython(), [script, ...this.args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.on('exit', (code, signal) => {
      this.ended = signal ?? `exit code ${code}`;
    });
    this.answers = readline.createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    return this.answer();
  }

  async answer() {
    const { value, done } = await this.answers.next();
    if (done) throw new Error(`native llama.cpp ended (${this.ended}); see above`);
    return JSON.parse(value);
  }

  ask(request) {
    this.child.stdin.write(`${JSON.stringify(request)}\n`);
    return this.answer();
  }

  prefill({ ids }) {
    return this.ask({ prefill: ids });
  }

  decode({ ids }, tokens) {
    return this.ask({ context: ids, decode: tokens });
  }

  stop() {
    this.child?.kill();
  }
}
