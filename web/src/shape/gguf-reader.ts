// Reads a GGUF header from the beginning of a file, value by value.

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
const STRING = 8;
export const ARRAY = 9;

export type Value = number | string | number[] | null;

/**
 * At the first key of the metadata. Throws NeedMore, or an Error that says what is wrong with the file, as
 * the reader that it gives does.
 */
export function openHeader(bytes: Uint8Array): { reader: Reader; tensors: number; keys: number } {
  const reader = new Reader(bytes);
  if (reader.u32() !== MAGIC) throw new Error('not a GGUF file');
  const version = reader.u32();
  if (version < 2 || version > 3) throw new Error(`GGUF version ${version}`);
  return { reader, tensors: reader.u64(), keys: reader.u64() };
}

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
