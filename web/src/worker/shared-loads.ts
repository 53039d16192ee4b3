import { abortedError } from '../api/errors';
import type { Progress } from '../api/types';
import type { LoadContext } from './load';

type Load<T> = (context: LoadContext) => Promise<T>;

/** One load for all who ask for the same thing while it is on its way. */
export class SharedLoads<T> {
  /** Each lets one more in. */
  private readonly running = new Map<string, Load<T>>();

  get(key: string, user: LoadContext, load: Load<T>): Promise<T> {
    const join = this.running.get(key) ?? this.start(key, load);
    return join(user);
  }

  private start(key: string, load: Load<T>): Load<T> {
    const users = new Set<LoadContext>();
    const abort = new AbortController();
    /** Told to those who come later, so that their bar does not start from nothing. */
    let last: Progress | undefined;
    const progress = (now: Progress) => {
      last = now;
      for (const user of users) user.progress(now);
    };
    const result = load({ signal: abort.signal, progress });
    const join: Load<T> = (user) => {
      users.add(user);
      if (last) user.progress(last);
      return new Promise((resolve, reject) => {
        user.signal.addEventListener('abort', () => {
          users.delete(user);
          if (users.size > 0) return reject(abortedError('Loading'));
          forget();
          abort.abort();
        });
        result.then(resolve, reject);
      });
    };
    const forget = () => {
      if (this.running.get(key) === join) this.running.delete(key);
    };
    this.running.set(key, join);
    result.then(forget, forget);
    return join;
  }
}
