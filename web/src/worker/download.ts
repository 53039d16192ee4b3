import { abortedError, KvScopeError } from '../api/errors';
import type { Source } from './load';

/** Waits before the tries that follow a broken connection; a try that brings bytes starts anew. */
const RETRY_DELAYS_MS = [200, 600, 1500];

/** By which a server tells one version of a file from another. */
export interface Version {
  etag: string | null;
  lastModified: string | null;
  /** 0: not known. */
  bytes: number;
}

export function versionOf({ headers }: Response): Version {
  // With a content coding, content-length counts other bytes than the ones that arrive here.
  const coded = headers.has('content-encoding');
  return {
    etag: headers.get('etag'),
    lastModified: headers.get('last-modified'),
    bytes: coded ? 0 : Number(headers.get('content-length') ?? 0),
  };
}

/** What both sides say and say differently; a header that CORS hides says nothing. */
export function isOther(a: Version, b: Version): boolean {
  return (['etag', 'lastModified', 'bytes'] as const).some(
    (key) => a[key] && b[key] && a[key] !== b[key],
  );
}

/** A file on its way. When the connection breaks, the rest is asked for by range. */
export class Download implements Source {
  readonly version: Version;
  /** Its content type. */
  readonly type: string;
  private reader: ReadableStreamDefaultReader<Uint8Array>;
  private at = 0;
  private failures = 0;

  private constructor(
    private readonly url: string,
    response: Response,
    private readonly signal: AbortSignal,
  ) {
    this.version = versionOf(response);
    this.reader = response.body!.getReader();
    this.type = response.headers.get('content-type') ?? '';
  }

  get announcedBytes(): number {
    return this.version.bytes;
  }

  /** Rejects with 'network' or 'http'. */
  static async start(url: string, signal: AbortSignal): Promise<Download> {
    let response: Response;
    try {
      response = await fetch(url, { signal });
    } catch (error) {
      if (signal.aborted) throw abortedError('Loading');
      const offline = navigator.onLine === false ? ' This device is offline.' : '';
      throw new KvScopeError(
        'network',
        `${url} could not be fetched (${(error as Error).message}).${offline} Check the connection; a server on another origin must send Access-Control-Allow-Origin.`,
      );
    }
    if (response.ok && response.body) return new Download(url, response, signal);
    const status = `${response.status} ${response.statusText}`.trimEnd();
    const advice = response.status === 404 ? ' Check the address.' : '';
    throw new KvScopeError('http', `${url} answered ${status}.${advice}`);
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      try {
        const { value } = await this.reader.read();
        this.at += value?.length ?? 0;
        this.failures = 0;
        return value;
      } catch (error) {
        if (this.signal.aborted) throw abortedError('Loading');
        await this.resume((error as Error).message);
      }
    }
  }

  cancel(): void {
    this.reader.cancel().catch(() => {});
  }

  /** After a try that failed the old reader stays, and its next read leads here again. */
  private async resume(reason: string): Promise<void> {
    const delay = RETRY_DELAYS_MS[this.failures++];
    if (delay === undefined || !this.canResume()) throw this.brokeOff(reason);
    await new Promise((resolve) => setTimeout(resolve, delay));
    let response: Response;
    try {
      const headers = { Range: `bytes=${this.at}-` };
      response = await fetch(this.url, { signal: this.signal, headers, cache: 'no-store' });
    } catch {
      return;
    }
    if (response.status >= 500) return;
    if (response.status !== 206 || !this.isTheRest(response)) {
      void response.body?.cancel();
      throw this.brokeOff(`${reason}; asked for the rest, the server sent something else`);
    }
    this.reader = response.body!.getReader();
  }

  /** Without one of these, nobody can tell whether the rest belongs to the same file. */
  private canResume(): boolean {
    const { etag, lastModified, bytes } = this.version;
    return bytes > 0 && ((etag !== null && !etag.startsWith('W/')) || lastModified !== null);
  }

  private isTheRest(response: Response): boolean {
    const { bytes, ...version } = versionOf(response);
    return (
      bytes === this.version.bytes - this.at && !isOther({ ...version, bytes: 0 }, this.version)
    );
  }

  private brokeOff(reason: string): KvScopeError {
    const done = `after ${this.at} of ${this.version.bytes || 'unknown'} bytes`;
    return new KvScopeError(
      'network',
      `The download of ${this.url} broke off ${done} (${reason}). Check the connection and try again.`,
    );
  }
}
