import { fileURLToPath } from 'node:url';
import { loadModel } from '../api';
import type { Flags } from '../cli';
import { loadOptions, sessionOptions } from './flags';
import { describeHeader } from './show-header';

const KV_TYPES = ['f32', 'f16', 'q8_0'] as const;

/** What the engine reads in the file, and the cache that it would make for it. */
export async function inspect(
  source: string | undefined,
  _words: string[],
  flags: Flags,
): Promise<number> {
  const model = await loadModel(source, loadOptions(flags));
  const bytesPerToken: Record<string, number> = {};
  for (const kv of KV_TYPES) {
    const options = { ...sessionOptions({ ...flags, kv }, model.info.contextLength) };
    const session = await model.createSession(options);
    bytesPerToken[kv] = session.kv.bytesPerToken;
    session.close();
  }
  const { info } = model;
  if (flags.json) console.log(JSON.stringify({ ...info, kvBytesPerToken: bytesPerToken }));
  else {
    for (const [key, value] of Object.entries(info)) {
      if (value !== '' && key !== 'cache' && key !== 'isolation')
        console.log(`${key.padEnd(16)} ${value}`);
    }
    for (const kv of KV_TYPES) {
      const bytes = bytesPerToken[kv]!;
      const all = bytes * info.contextLength;
      console.log(
        `KV cache ${kv.padEnd(7)} ${bytes} bytes per token, ${all} bytes for ${info.contextLength}`,
      );
    }
  }
  model.close();
  const file = fileOf(source);
  if (file && !flags.json) console.log((await describeHeader(file)).join('\n'));
  return 0;
}

/** undefined: it came from a server, and what was read of it is gone. */
function fileOf(source: string | undefined): string | undefined {
  if (source && !URL.canParse(source)) return source;
  const url = new URL(
    source ?? new URL(/* @vite-ignore */ '../models/kvscope-tiny.gguf', import.meta.url),
  );
  return url.protocol === 'file:' ? fileURLToPath(url) : undefined;
}
