import { KvScopeError } from '../api/errors';
import { BlockHashes } from './block-hashes';
import { isOther, type Version, versionOf } from './download';
import type { Source } from './load';

const CACHE_NAME = 'kvscope-models-1';
/** So much may wait for the disk before the download waits too. */
const WAITING_BYTES = 8 << 20;

interface Label extends Version {
  sha256: string[];
  /** The server has had another version since. */
  stale?: true;
}

/**
 * Models in the browser's Cache Storage. A file counts as kept once its label is there, which is
 * written last: half a download, or one that the engine refused, has none.
 */
export class ModelStore {
  private constructor(private readonly cache: Cache) {}

  /** undefined where the browser stores nothing: private windows, sandboxed frames, no https. */
  static async open(): Promise<ModelStore | undefined> {
    try {
      return new ModelStore(await caches.open(CACHE_NAME));
    } catch {
      return undefined;
    }
  }

  async find(url: string): Promise<KeptModel | undefined> {
    try {
      const label = await this.cache.match(labelOf(url));
      const file = label && (await this.cache.match(url));
      return file?.body ? new KeptModel(file.body, await label!.json()) : undefined;
    } catch {
      return undefined;
    }
  }

  async forget(url: string): Promise<void> {
    await this.cache.delete(labelOf(url)).catch(() => false);
    await this.cache.delete(url).catch(() => false);
  }

  /** Asks the server whether it still has this version; if not, the next visit tries to download that. */
  async revalidate(url: string, { label }: KeptModel): Promise<void> {
    try {
      const response = await fetch(url, { method: 'HEAD', cache: 'no-store' });
      if (!response.ok || !isOther(label, versionOf(response))) return;
      await writeLabel(this.cache, url, { ...label, stale: true });
    } catch {
      // No network, or no room: it is as good as it was.
    }
  }

  record(url: string, version: Version): Recording {
    return new Recording(this.cache, url, version);
  }
}

export class KeptModel implements Source {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private readonly hashes = new BlockHashes();

  constructor(
    body: ReadableStream<Uint8Array>,
    readonly label: Label,
  ) {
    this.reader = body.getReader();
  }

  get announcedBytes(): number {
    return this.label.bytes;
  }

  /** Rejects at the end when these are not the bytes that were stored. */
  async read(): Promise<Uint8Array | undefined> {
    const { value } = await this.reader.read().catch((error: Error) => {
      throw new KvScopeError('read-failed', `The kept copy of the model: ${error.message}`);
    });
    if (value) this.hashes.push(value);
    else if (String(await this.hashes.finish()) !== String(this.label.sha256)) {
      throw new KvScopeError('read-failed', 'The kept copy of the model is damaged.');
    }
    return value;
  }

  cancel(): void {
    this.reader.cancel().catch(() => {});
  }
}

/** Writes a download down while the engine reads it. */
export class Recording {
  private readonly hashes = new BlockHashes();
  private readonly written: Promise<unknown>;
  private controller!: ReadableStreamDefaultController<Uint8Array>;
  private bytes = 0;
  private refused = false;
  private wake = () => {};

  constructor(
    private readonly cache: Cache,
    private readonly url: string,
    private readonly version: Version,
  ) {
    const refuse = () => {
      this.refused = true;
      this.wake();
    };
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => {
        this.controller = controller;
      },
      pull: () => this.wake(),
      cancel: refuse,
    };
    const queue = new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES });
    const response = new Response(new ReadableStream(source, queue));
    this.written = cache.put(url, response).catch(refuse);
  }

  async push(chunk: Uint8Array): Promise<void> {
    if (this.refused) return;
    this.controller.enqueue(chunk);
    this.hashes.push(chunk);
    this.bytes += chunk.length;
    while (!this.refused && this.controller.desiredSize! <= 0) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Once the engine has accepted the file. false: the browser gave it no room. */
  async keep(): Promise<boolean> {
    if (!this.refused) this.controller.close();
    const sha256 = await this.hashes.finish();
    await this.written;
    if (this.refused) return false;
    const label: Label = { ...this.version, bytes: this.bytes, sha256 };
    try {
      await writeLabel(this.cache, this.url, label);
      return true;
    } catch {
      await this.cache.delete(this.url).catch(() => false); // it would only take up room
      return false;
    }
  }

  drop(): void {
    if (this.refused) return;
    this.refused = true;
    this.controller.error(new Error('not kept'));
  }
}

function writeLabel(cache: Cache, url: string, label: Label): Promise<void> {
  return cache.put(labelOf(url), new Response(JSON.stringify(label)));
}

function labelOf(url: string): string {
  const label = new URL(url);
  label.searchParams.set('kvscope-label', '1');
  return label.href;
}
