import { KvScopeError } from '../../api/errors';
import type { GenerateOptions, LoadOptions, SessionOptions } from '../../api/types';
import { type Flags, UsageError } from '../cli';

/** The number that a flag was given, or undefined. */
export function number(flags: Flags, name: keyof Flags): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text === '' || Number.isNaN(value))
    throw new UsageError(`--${name} is "${text}", which is not a number.`);
  return value;
}

/** Leaves out what is undefined, so that the API's own defaults hold. */
function given<T extends object>(values: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}

export function loadOptions(flags: Flags): LoadOptions {
  const threads = number(flags, 'threads');
  checkThreads(threads);
  return given<LoadOptions>({ threads, precision: flags.precision as LoadOptions['precision'] });
}

/** Asked for more, the API would take one and only name the reason. */
function checkThreads(threads: number | undefined): void {
  if (threads === undefined || threads === 1) return;
  if (!(Number.isInteger(threads) && threads > 0))
    throw new UsageError(`--threads is ${threads}; it is a whole number above 0.`);
  throw new KvScopeError(
    'build-unavailable',
    `--threads ${threads}: the build with threads starts them as a web page's workers, which Node has not. Use --threads 1, or a browser.`,
  );
}

export const sessionOptions = (flags: Flags, contextLength: number): SessionOptions =>
  given<SessionOptions>({
    contextLength: number(flags, 'context') ?? Math.min(contextLength, 4096),
    kvType: flags.kv as SessionOptions['kvType'],
  });

export const generateOptions = (flags: Flags): GenerateOptions =>
  given<GenerateOptions>({
    maxTokens: number(flags, 'max-tokens') ?? 128,
    temperature: number(flags, 'temperature'),
    topK: number(flags, 'top-k'),
    topP: number(flags, 'top-p'),
    minP: number(flags, 'min-p'),
    repeatPenalty: number(flags, 'repeat-penalty'),
    seed: number(flags, 'seed'),
    ignoreEos: flags['ignore-eos'],
  });
