import { loadModel } from '../api/lazy';
import type { Model } from '../api/model';
import type { LoadOptions, Progress } from '../api/types';

interface Entry {
  model: Promise<Model>;
  users: Set<ModelUser>;
  abort: AbortController;
  /** Told to those who come later, so that their bar does not start from nothing. */
  progress: Progress | undefined;
}

interface ModelUser {
  onProgress(progress: Progress): void;
}

/** What elements have to agree on to share a model. */
export type ModelChoice = { src: string | null } & Pick<LoadOptions, 'threads' | 'workerSrc'>;

/** Elements that show the same model share it; the last one to leave closes it. */
const entries = new Map<string, Entry>();

export interface ModelLease {
  model: Promise<Model>;
  /** The last one gives a download up, too. */
  release(): void;
  /** Its engine has stopped: whoever asks next gets another one. */
  discard(): void;
}

export function leaseModel(choice: ModelChoice, user: ModelUser): ModelLease {
  const key = JSON.stringify(choice);
  const entry = entries.get(key) ?? open(key, choice);
  entry.users.add(user);
  if (entry.progress) user.onProgress(entry.progress);
  const forget = () => {
    if (entries.get(key) === entry) entries.delete(key);
  };
  const release = () => {
    if (!entry.users.delete(user) || entry.users.size > 0) return;
    forget();
    entry.abort.abort();
    entry.model.then((model) => model.close()).catch(() => {});
  };
  const discard = () => {
    forget();
    release();
  };
  return { model: entry.model, release, discard };
}

function open(key: string, { src, ...options }: ModelChoice): Entry {
  const abort = new AbortController();
  const onProgress = (progress: Progress) => {
    entry.progress = progress;
    for (const user of entry.users) user.onProgress(progress);
  };
  const load = { ...options, onProgress, signal: abort.signal };
  const entry: Entry = {
    model: loadModel(src ?? undefined, load),
    users: new Set(),
    abort,
    progress: undefined,
  };
  entries.set(key, entry);
  // A failed load is not remembered: the next one tries again.
  entry.model.catch(() => {
    if (entries.get(key) === entry) entries.delete(key);
  });
  return entry;
}
