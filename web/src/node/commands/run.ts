import { text as readAll } from 'node:stream/consumers';
import { loadModel } from '../api';
import { type Flags, UsageError } from '../cli';
import { generateOptions, loadOptions, sessionOptions } from './flags';

/** Writes the text as it comes to standard output, what it cost to standard error. */
export async function run(
  source: string | undefined,
  words: string[],
  flags: Flags,
): Promise<number> {
  const typed = words.length > 0 ? words.join(' ') : await promptFromInput();
  if (!typed.trim()) throw new UsageError('The prompt is empty.');
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const { signal } = stop;

  const model = await loadModel(source, { ...loadOptions(flags), signal });
  const session = await model.createSession(sessionOptions(flags, model.info.contextLength));
  const prompt = flags.chat
    ? await model.applyChatTemplate([{ role: 'user', content: typed }])
    : typed;
  await session.prefill(prompt, { signal });
  if (!flags.chat) process.stdout.write(typed);
  let finish: string | null = null;
  for await (const step of session.generate({ ...generateOptions(flags), signal })) {
    process.stdout.write(step.text);
    finish = step.finish;
  }
  process.stdout.write('\n');
  const { input, output } = session.stats;
  const rate = (part: { tokens: number; ms: number }) =>
    part.ms > 0 ? ((part.tokens / part.ms) * 1000).toFixed(1) : '-';
  console.error(
    `[${finish}] input ${input.tokens} tokens, ${rate(input)} tok/s; output ${output.tokens} tokens, ${rate(output)} tok/s; KV cache ${session.kv.bytes} bytes`,
  );
  model.close();
  return signal.aborted ? 130 : 0;
}

async function promptFromInput(): Promise<string> {
  if (process.stdin.isTTY)
    throw new UsageError('kvscope run needs a prompt, as an argument or on standard input.');
  return (await readAll(process.stdin)).replace(/\n$/, '');
}
