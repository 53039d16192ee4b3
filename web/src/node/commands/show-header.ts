import { type Header, readHeader } from './gguf-header';

/** GGUF's number → name, elements in a block, bytes of a block (ggml's type table). */
const TYPES: Record<number, [name: string, elements: number, bytes: number]> = {
  0: ['F32', 1, 4],
  1: ['F16', 1, 2],
  2: ['Q4_0', 32, 18],
  3: ['Q4_1', 32, 20],
  6: ['Q5_0', 32, 22],
  7: ['Q5_1', 32, 24],
  8: ['Q8_0', 32, 34],
  10: ['Q2_K', 256, 84],
  11: ['Q3_K', 256, 110],
  12: ['Q4_K', 256, 144],
  13: ['Q5_K', 256, 176],
  14: ['Q6_K', 256, 210],
  30: ['BF16', 1, 2],
};

/** Metadata and tensors, line by line. */
export async function describeHeader(file: string): Promise<string[]> {
  const header = await readHeader(file);
  const metadata = header.metadata.map(({ key, value }) => [key, value]);
  return [...section('metadata', metadata), ...section('tensors', tensorRows(header))];
}

function bytesOf({ dims, type }: Header['tensors'][number]): number {
  const [, elements = 1, bytes = 0] = TYPES[type] ?? [];
  return (dims.reduce((product, n) => product * n, 1) / elements) * bytes;
}

function section(title: string, rows: string[][]): string[] {
  const width = Math.max(0, ...rows.map(([first = '']) => first.length));
  return ['', `${title} (${rows.length})`, ...rows.map((row) => line(row, width))];
}

const line = ([first = '', ...rest]: string[], width: number) =>
  `  ${first.padEnd(width)}  ${rest.join('  ')}`.trimEnd();

function tensorRows({ tensors }: Header): string[][] {
  return tensors.map((tensor) => [
    tensor.name,
    `[${tensor.dims.join(', ')}]`,
    TYPES[tensor.type]?.[0] ?? `type ${tensor.type}`,
    TYPES[tensor.type] ? `${bytesOf(tensor)} bytes` : '',
  ]);
}
