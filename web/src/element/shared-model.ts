import { type LoadOptions, loadModel, type Model } from '../api/index';

interface Entry {
  model: Promise<Model>;
  users: number;
}

/** Elements that show the same model share it; the last one to leave closes it. */
const entries = new Map<string, Entry>();

export interface ModelLease {
  model: Promise<Model>;
  release(): void;
}

export function leaseModel(src: string | null, options: LoadOptions): ModelLease {
  const key = `${src ?? ''} ${options.threads ?? 'auto'}`;
  const entry = entries.get(key) ?? open(key, src, options);
  entry.users++;
  let released = false;
  const release = () => {
    if (released) return;
    released = true;
    if (--entry.users > 0) return;
    if (entries.get(key) === entry) entries.delete(key);
    entry.model.then((model) => model.close()).catch(() => {});
  };
  return { model: entry.model, release };
}

function open(key: string, src: string | null, options: LoadOptions): Entry {
  const entry: Entry = { model: loadModel(src ?? undefined, options), users: 0 };
  entries.set(key, entry);
  // A failed load is not remembered: the next one tries again.
  entry.model.catch(() => {
    if (entries.get(key) === entry) entries.delete(key);
  });
  return entry;
}
