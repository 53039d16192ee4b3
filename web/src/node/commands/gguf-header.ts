// A GGUF header as `kvscope inspect` shows it.
import { open } from 'node:fs/promises';
import { KvScopeError } from '../../api/errors';
import { ARRAY, NeedMore, openHeader, type Reader } from '../../shape/gguf-reader';

export interface Header {
  metadata: { key: string; value: string }[];
  tensors: { name: string; dims: number[]; type: number; offset: number }[];
}

/** Longer lists are shown by their beginning. */
const SHOWN_ITEMS = 4;
const SHOWN_CHARACTERS = 100;
/** How much of the file is read, until the header is in it. */
const STEPS_BYTES = [1 << 20, 16 << 20, 256 << 20];
const MAX_DIMS = 4;

/** Throws a KvScopeError: truncated, bad-gguf. */
export async function readHeader(file: string): Promise<Header> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    for (const step of STEPS_BYTES) {
      const bytes = new Uint8Array(Math.min(step, size));
      await handle.read(bytes, 0, bytes.length, 0);
      try {
        return parse(bytes);
      } catch (error) {
        if (!(error instanceof NeedMore)) throw error;
        if (bytes.length === size) throw tooShort(file, size);
      }
    }
    throw new KvScopeError('bad-gguf', `${file}: its header is longer than 256 MB.`);
  } finally {
    await handle.close();
  }
}

const tooShort = (file: string, size: number) =>
  new KvScopeError(
    'truncated',
    `${file} ends inside its header, after ${size} bytes. Download it again.`,
  );

function parse(bytes: Uint8Array): Header {
  try {
    const { reader, keys, tensors: count } = openHeader(bytes);
    const metadata = times(keys, () => ({ key: reader.string(), value: value(reader) }));
    const tensors = times(count, () => ({
      name: reader.string(),
      dims: dims(reader),
      type: reader.u32(),
      offset: reader.u64(),
    }));
    return { metadata, tensors };
  } catch (error) {
    if (error instanceof NeedMore) throw error;
    const message = `The header is damaged: ${(error as Error).message}. Download the file again.`;
    throw new KvScopeError('bad-gguf', message);
  }
}

/** A loop, not Array.from: a damaged count must not reserve memory before the bytes run out. */
function times<T>(count: number, read: () => T): T[] {
  const made: T[] = [];
  for (let i = 0; i < count; i++) made.push(read());
  return made;
}

function dims(reader: Reader): number[] {
  const count = reader.u32();
  if (count > MAX_DIMS) throw new Error(`a tensor of ${count} dimensions`);
  return times(count, () => reader.u64());
}

function value(reader: Reader): string {
  const type = reader.u32();
  if (type !== ARRAY) return short(JSON.stringify(reader.value(type)));
  const itemType = reader.u32();
  if (itemType === ARRAY) throw new Error('a list of lists');
  const length = reader.u64();
  const shown: string[] = [];
  for (let i = 0; i < length; i++) {
    const item = reader.value(itemType);
    if (i < SHOWN_ITEMS) shown.push(short(JSON.stringify(item)));
  }
  return `[${shown.join(', ')}${length > SHOWN_ITEMS ? ', …' : ''}] (${length})`;
}

const short = (text: string) =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
