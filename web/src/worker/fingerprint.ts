/** A prime, so that it falls on every byte of a block in turn. */
const STRIDE_BYTES = 1021;

/** Tells files of one name and one size apart: FNV-1a of one byte in a thousand, as they go by. */
export class Fingerprint {
  private next = 0;
  private hash = 0x811c9dc5;

  push(chunk: Uint8Array): void {
    for (; this.next < chunk.length; this.next += STRIDE_BYTES) {
      this.hash = Math.imul(this.hash ^ chunk[this.next]!, 0x01000193);
    }
    this.next -= chunk.length;
  }

  get value(): string {
    return (this.hash >>> 0).toString(16);
  }
}
