// Reads from the first bytes of a GGUF file what the size of its KV cache depends on.

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

/** The bytes given end before the shape is complete: more are needed. */
export class NeedMore extends Error {}

const MAGIC = 0x46554747; // "GGUF", little endian
const MAX_STRING = 1 << 20;
const SIZES: Record<number, number> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const [STRING, ARRAY] = [8, 9];

type Value = number | string | number[] | null;

/** Throws NeedMore, or an Error that says what is wrong with the file. */
export function readKvShape(bytes: Uint8Array): KvShape {
  const reader = new Reader(bytes);
  if (reader.u32() !== MAGIC) throw new Error('not a GGUF file');
  const version = reader.u32();
  if (version < 2 || version > 3) throw new Error(`GGUF version ${version}`);
  reader.u64(); // tensors
  const count = reader.u64();
  const found = new Map<string, Value>();
  for (let i = 0; i < count; i++) {
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

/** Throws NeedMore at the end of the bytes. */
export class Reader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  u64(): number {
    const value = Number(this.view.getBigUint64(this.take(8), true));
    if (!Number.isSafeInteger(value)) throw new Error('a count beyond reason');
    return value;
  }

  string(): string {
    const length = this.u64();
    if (length > MAX_STRING) throw new Error(`a string of ${length} bytes`);
    const from = this.take(length);
    return new TextDecoder().decode(this.bytes.subarray(from, from + length));
  }

  /** Numbers, strings and lists of numbers; lists of strings are passed over. */
  value(type: number): Value {
    if (type === STRING) return this.string();
    if (type === ARRAY) return this.list();
    const size = SIZES[type];
    if (size === undefined) throw new Error(`a value of type ${type}`);
    return this.number(type, this.take(size));
  }

  private list(): Value {
    const type = this.u32();
    const length = this.u64();
    if (type === STRING) {
      for (let i = 0; i < length; i++) this.string();
      return null;
    }
    const size = SIZES[type];
    if (size === undefined) throw new Error(`a list of type ${type}`);
    const from = this.take(size * length);
    if (length > 4096) return null;
    return Array.from({ length }, (_, i) => this.number(type, from + i * size));
  }

  private number(type: number, at: number): number {
    const { view } = this;
    const read: Record<number, () => number> = {
      0: () => view.getUint8(at),
      1: () => view.getInt8(at),
      2: () => view.getUint16(at, true),
      3: () => view.getInt16(at, true),
      4: () => view.getUint32(at, true),
      5: () => view.getInt32(at, true),
      6: () => view.getFloat32(at, true),
      7: () => view.getUint8(at),
      10: () => Number(view.getBigUint64(at, true)),
      11: () => Number(view.getBigInt64(at, true)),
      12: () => view.getFloat64(at, true),
    };
    return read[type]!();
  }

  private take(size: number): number {
    const from = this.at;
    if (from + size > this.bytes.length) throw new NeedMore('the bytes end before the header does');
    this.at += size;
    return from;
  }
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
