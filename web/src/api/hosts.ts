import type { FileUrls } from '../worker/protocol';
import { EngineHost } from './engine-host';
import { type BuildChoice, chooseBuild } from './features';
import { filesFor, workerUrl } from './start-worker';
import type { LoadOptions } from './types';

interface Entry {
  host: EngineHost;
  users: number;
}

/** Models that ask for the same build, thread count and worker script share one worker. */
const entries = new Map<string, Entry>();

export interface HostLease {
  host: EngineHost;
  /** The last lease to be released ends the worker. Further calls do nothing. */
  release(): void;
}

/** isSmall: the model that will be loaded into it is known not to profit from threads. */
export async function leaseHost(options: LoadOptions, isSmall: boolean): Promise<HostLease> {
  const choice = await chooseBuild(options.build, options.threads, isSmall);
  const { workerSrc } = options;
  const entry = entryFor(choice, workerUrl(workerSrc), filesFor(workerSrc));
  entry.users++;
  let released = false;
  const release = () => {
    if (released) return;
    released = true;
    if (--entry.users === 0) entry.host.end({ code: 'closed', message: 'The model is closed.' });
  };
  return { host: entry.host, release };
}

function entryFor(choice: BuildChoice, worker: URL, files?: FileUrls): Entry {
  const key = `${choice.build}/${choice.threads} ${worker}`;
  const existing = entries.get(key);
  if (existing) return existing;
  // A worker that ended, by a crash too, leaves the table: the next load starts a new one.
  const onEnd = () => {
    if (entries.get(key) === entry) entries.delete(key);
  };
  const entry: Entry = { host: new EngineHost(choice, worker, onEnd, files), users: 0 };
  entries.set(key, entry);
  return entry;
}
