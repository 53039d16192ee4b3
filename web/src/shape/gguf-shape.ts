// Reads from the first bytes of a GGUF file what the size of its KV cache depends on.
import { NeedMore, openHeader, type Value } from './gguf-reader';

export interface KvShape {
  name: string;
  layers: number;
  heads: number;
  /** KV heads of each layer; 0 in a layer that keeps no K and V. */
  kvHeads: number[];
  keyDim: number;
  valueDim: number;
  contextLength: number;
}

/** Throws NeedMore, or an Error that says what is wrong with the file. */
function readKvShape(bytes: Uint8Array): KvShape {
  const { reader, keys } = openHeader(bytes);
  const found = new Map<string, Value>();
  for (let i = 0; i < keys; i++) {
    const key = reader.string();
    // The tokenizer's lists are long, and come after what is looked for.
    if (key.startsWith('tokenizer.') && isComplete(found)) break;
    found.set(key, reader.value(reader.u32()));
  }
  return shapeOf(found);
}

function isComplete(found: Map<string, Value>): boolean {
  const architecture = found.get('general.architecture');
  return ['block_count', 'attention.head_count', 'embedding_length'].every((key) =>
    found.has(`${architecture}.${key}`),
  );
}

function shapeOf(found: Map<string, Value>): KvShape {
  const architecture = found.get('general.architecture');
  const get = (key: string): Value => found.get(`${architecture}.${key}`) ?? null;
  const need = (key: string): number => {
    const value = get(key);
    const first = Array.isArray(value) ? Math.max(...value) : value;
    if (typeof first !== 'number' || !(first > 0) || first > 1e6) {
      throw new Error(`${architecture}.${key} is missing or wrong`);
    }
    return first;
  };
  const layers = need('block_count');
  const heads = need('attention.head_count');
  const kv = get('attention.head_count_kv') ?? heads;
  const headDim = need('embedding_length') / heads;
  const dimOf = (key: string) => (get(key) === null ? headDim : need(key));
  const kvHeads = Array.isArray(kv) ? kv : Array<number>(layers).fill(kv as number);
  if (kvHeads.length !== layers) throw new Error('attention.head_count_kv: one number a layer');
  return {
    name: String(found.get('general.name') ?? architecture),
    ...{ layers, heads, kvHeads },
    keyDim: dimOf('attention.key_length'),
    valueDim: dimOf('attention.value_length'),
    contextLength: get('context_length') === null ? 0 : need('context_length'),
  };
}

/** Enough for every header seen; the tokenizer's lists behind it are not read. */
const STEPS = [64 << 10, 512 << 10, 4 << 20];

/** source: a file, or the URL of one on a server that answers range requests or can be stopped. */
export async function fetchKvShape(source: Blob | string): Promise<KvShape> {
  for (const size of STEPS) {
    const bytes = await firstBytes(source, size);
    try {
      return readKvShape(bytes);
    } catch (error) {
      if (!(error instanceof NeedMore) || bytes.length < size) throw error;
    }
  }
  throw new Error('the header is longer than 4 MB');
}

async function firstBytes(source: Blob | string, size: number): Promise<Uint8Array> {
  if (source instanceof Blob) return new Uint8Array(await source.slice(0, size).arrayBuffer());
  const response = await fetch(source, { headers: { Range: `bytes=0-${size - 1}` } });
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
  const bytes = new Uint8Array(size);
  let filled = 0;
  const reader = response.body.getReader();
  while (filled < size) {
    const { done, value } = await reader.read();
    if (done) break;
    const part = value.subarray(0, size - filled);
    bytes.set(part, filled);
    filled += part.length;
  }
  await reader.cancel(); // a server that ignores the range would send the whole file
  return bytes.subarray(0, filled);
}
