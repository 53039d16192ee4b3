#!/usr/bin/env node
// npx kvscope run|bench|inspect MODEL: the engine on the command line.
import { parseArgs } from 'node:util';
import { KvScopeError } from '../api/errors';
import { bench } from './commands/bench';
import { inspect } from './commands/inspect';
import { run } from './commands/run';

const HELP = `kvscope: the engine of the page, in Node.

  kvscope run MODEL [PROMPT]      continue a text; the prompt comes from standard input when it is not given
  kvscope bench MODEL             tokens per second of prefill and decode: median and range
  kvscope inspect MODEL           what the file is, and what its KV cache takes

MODEL is a path or URL of a GGUF file, or "default" for the small Korean and English one that comes with it.

  --max-tokens N    output tokens at the most (run: 128)
  --temperature T   0 (default): always the most probable token
  --top-k K  --top-p P  --min-p P  --repeat-penalty R  --seed N
  --context N       positions of the KV cache (the model's own, at most 4096)
  --kv f16|f32|q8_0 element type of the KV cache
  --precision fast|high
  --threads N       run, bench: 1 (default) is what Node has; more is refused with the reason
  --chat            treat the prompt as a message, by the model's chat template
  --ignore-eos      go on past the end token
  --runs N          bench: repetitions (7)
  --json            bench, inspect: as JSON
  --help  --version

Exit codes: 0 done, 1 failed (code and reason on standard error), 2 wrong usage, 130 stopped by Ctrl-C.`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const options = {
  ...{ 'max-tokens': text, temperature: text, 'top-k': text, 'top-p': text, 'min-p': text },
  ...{ 'repeat-penalty': text, seed: text, context: text, kv: text, precision: text, runs: text },
  ...{ threads: text },
  ...{ chat: flag, 'ignore-eos': flag, json: flag, help: flag, version: flag },
} as const;

export type Flags = ReturnType<typeof parse>['values'];
export class UsageError extends Error {}

const parse = () => parseArgs({ options, allowPositionals: true });
const commands = { run, bench, inspect };

declare const __VERSION__: string;

async function main(): Promise<number> {
  const { values, positionals } = parse();
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (values.version) {
    console.log(__VERSION__);
    return 0;
  }
  const [name, model, ...rest] = positionals;
  const command = commands[name as keyof typeof commands];
  if (!command) throw new UsageError(name ? `There is no command "${name}".` : HELP);
  if (!model) throw new UsageError(`kvscope ${name} needs a model: a path, a URL or "default".`);
  return command(model === 'default' ? undefined : model, rest, values);
}

/** parseArgs' own errors have codes that begin so. */
const isUsage = (error: unknown) =>
  error instanceof UsageError ||
  String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');

try {
  process.exitCode = await main();
} catch (error) {
  const { message } = error as Error;
  if (error instanceof KvScopeError) console.error(`kvscope: ${error.code}: ${message}`);
  else if (isUsage(error)) console.error(`${message}\nkvscope --help says more.`);
  else throw error;
  process.exitCode = isUsage(error) ? 2 : 1;
}
