/** Web Crypto hashes whole buffers only; in blocks, a file of any size needs no second copy. */
const BLOCK_BYTES = 1 << 20;

export function toHex(digest: ArrayBuffer): string {
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** SHA-256 of each block of a file that comes in pieces. */
export class BlockHashes {
  private readonly block = new Uint8Array(BLOCK_BYTES);
  private filled = 0;
  private readonly digests: Promise<ArrayBuffer>[] = [];

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + BLOCK_BYTES - this.filled);
      this.block.set(part, this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled === BLOCK_BYTES) this.endBlock();
    }
  }

  /** In hex, a block each. */
  async finish(): Promise<string[]> {
    if (this.filled > 0) this.endBlock();
    const digests = await Promise.all(this.digests);
    return digests.map(toHex);
  }

  private endBlock(): void {
    // digest() copies its input before it returns.
    this.digests.push(crypto.subtle.digest('SHA-256', this.block.subarray(0, this.filled)));
    this.filled = 0;
  }
}
