import type { Session } from '../../api/session';
import { loadModel } from '../api';
import { type Flags, UsageError } from '../cli';
import { loadOptions, number, sessionOptions } from './flags';

const PROMPT_TOKENS = 128;
const OUTPUT_TOKENS = 64;

/** Tokens per second, sorted. */
type Rates = number[];

/** Prefill of 128 tokens and decode of 64 after them, or of what the context holds; the first run warms up. */
export async function bench(
  source: string | undefined,
  _words: string[],
  flags: Flags,
): Promise<number> {
  const runs = number(flags, 'runs') ?? 7;
  if (!(Number.isInteger(runs) && runs > 0))
    throw new UsageError(`--runs is ${runs}; it is a whole number above 0.`);
  const model = await loadModel(source, loadOptions(flags));
  const session = await model.createSession(sessionOptions(flags, model.info.contextLength));
  const promptTokens = Math.min(PROMPT_TOKENS, session.kv.capacity >> 1);
  const outputTokens = Math.min(OUTPUT_TOKENS, session.kv.capacity - promptTokens);
  // Which tokens does not matter for the time; ids of the first texts of the vocabulary do for all models.
  const ids = Int32Array.from({ length: promptTokens }, (_, i) => 300 + (i % 50));
  const prefill: Rates = [];
  const decode: Rates = [];
  for (let run = -1; run < runs; run++) {
    const rates = await measure(session, ids, outputTokens);
    if (run < 0) continue;
    prefill.push(rates.prefill);
    decode.push(rates.decode);
  }
  const { name, build, threads } = model.info;
  const result = { name, build, threads, runs, promptTokens, outputTokens };
  if (flags.json) console.log(JSON.stringify({ ...result, prefill, decode }));
  else {
    console.log(`${name}, build ${build}, threads ${threads}, ${runs} runs after one to warm up`);
    console.log(`prefill ${promptTokens} tokens  ${line(prefill)}`);
    console.log(`decode ${outputTokens} tokens    ${line(decode)}`);
  }
  model.close();
  return 0;
}

async function measure(session: Session, ids: Int32Array, outputTokens: number) {
  await session.truncate(0);
  const { ms } = await session.prefill(ids);
  const before = session.stats.output.ms;
  let tokens = 0;
  for await (const step of session.generate({ maxTokens: outputTokens, ignoreEos: true }))
    tokens += Number(step.id >= 0);
  return {
    prefill: (ids.length / ms) * 1000,
    decode: (tokens / (session.stats.output.ms - before)) * 1000,
  };
}

function line(rates: Rates): string {
  const sorted = [...rates].sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1]!;
  return `${median.toFixed(1)} tok/s (${sorted[0]!.toFixed(1)} to ${sorted.at(-1)!.toFixed(1)})`;
}
