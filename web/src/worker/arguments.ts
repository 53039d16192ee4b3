import { KvScopeError } from '../api/errors';

/** For what the code behind takes as it comes: a TypeError in there looks like a crash of the engine. */
export function checkArgument(holds: boolean, name: string, value: unknown, wanted: string): void {
  if (!holds) throw new KvScopeError('bad-argument', `${name} is ${value}; it must be ${wanted}.`);
}

const isText = (value: unknown) => typeof value === 'string';

/** The stop strings, composed as the text that they are looked for in. */
export function stopStrings(stop: unknown): string[] {
  checkArgument(Array.isArray(stop) && stop.every(isText), 'stop', stop, 'a list of strings');
  return (stop as string[]).map((text) => text.normalize('NFC'));
}

/** What is given to restore(). */
export function savedBytes(data: unknown): Uint8Array {
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  checkArgument(bytes instanceof Uint8Array, 'bytes', data, 'the Uint8Array that save() gave');
  return bytes as Uint8Array;
}
