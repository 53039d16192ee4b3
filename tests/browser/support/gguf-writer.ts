// Writes small GGUF (version 3) files: the layout as ggml's docs/gguf.md gives it.

type Scalar = { u32: number } | { f32: number } | { bool: boolean } | { str: string };
export type GgufValue = Scalar | { strs: string[] } | { f32s: number[] } | { i32s: number[] };

export interface GgufTensor {
  name: string;
  /** Fastest-running dimension first, as the file has it. */
  shape: number[];
  data: Float32Array;
}

const TYPE = { u32: 4, i32: 5, f32: 6, bool: 7, str: 8, array: 9 } as const;
const ALIGNMENT = 32;

class Bytes {
  private parts: Buffer[] = [];
  length = 0;

  raw(part: Buffer): this {
    this.parts.push(part);
    this.length += part.length;
    return this;
  }
  u32(n: number): this {
    const part = Buffer.alloc(4);
    part.writeUInt32LE(n);
    return this.raw(part);
  }
  i32(n: number): this {
    const part = Buffer.alloc(4);
    part.writeInt32LE(n);
    return this.raw(part);
  }
  u64(n: number): this {
    const part = Buffer.alloc(8);
    part.writeBigUInt64LE(BigInt(n));
    return this.raw(part);
  }
  f32(n: number): this {
    const part = Buffer.alloc(4);
    part.writeFloatLE(n);
    return this.raw(part);
  }
  str(s: string): this {
    const text = Buffer.from(s, 'utf8');
    return this.u64(text.length).raw(text);
  }
  align(): this {
    return this.raw(Buffer.alloc((ALIGNMENT - (this.length % ALIGNMENT)) % ALIGNMENT));
  }
  done(): Buffer {
    return Buffer.concat(this.parts);
  }
}

export function writeGguf(metadata: Record<string, GgufValue>, tensors: GgufTensor[]): Buffer {
  const out = new Bytes();
  out.raw(Buffer.from('GGUF')).u32(3).u64(tensors.length).u64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) writeValue(out.str(key), value);
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    out.str(name).u32(shape.length);
    for (const n of shape) out.u64(n);
    out.u32(0).u64(offset); // type 0: F32
    offset += Math.ceil(data.byteLength / ALIGNMENT) * ALIGNMENT;
  }
  out.align();
  for (const { data } of tensors) {
    out.raw(Buffer.from(data.buffer, data.byteOffset, data.byteLength)).align();
  }
  return out.done();
}

function writeValue(out: Bytes, value: GgufValue): void {
  if ('u32' in value) out.u32(TYPE.u32).u32(value.u32);
  else if ('f32' in value) out.u32(TYPE.f32).f32(value.f32);
  else if ('bool' in value) out.u32(TYPE.bool).raw(Buffer.from([value.bool ? 1 : 0]));
  else if ('str' in value) out.u32(TYPE.str).str(value.str);
  else if ('strs' in value) {
    out.u32(TYPE.array).u32(TYPE.str).u64(value.strs.length);
    for (const text of value.strs) out.str(text);
  } else if ('f32s' in value) {
    out.u32(TYPE.array).u32(TYPE.f32).u64(value.f32s.length);
    for (const n of value.f32s) out.f32(n);
  } else {
    out.u32(TYPE.array).u32(TYPE.i32).u64(value.i32s.length);
    for (const n of value.i32s) out.i32(n);
  }
}
