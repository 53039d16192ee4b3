import { KvScopeError } from '../api/errors';
import type { Handle } from './protocol';

/** Objects of the WebAssembly heap under numbers that can be sent to the page; one may have several. */
export class Handles<T> {
  private readonly objects = new Map<Handle, T>();
  private next = 1;

  constructor(private readonly what: string) {}

  add(object: T): Handle {
    this.objects.set(this.next, object);
    return this.next++;
  }

  get(handle: Handle): T {
    const object = this.objects.get(handle);
    if (object === undefined) throw new KvScopeError('closed', `This ${this.what} is closed.`);
    return object;
  }

  /** The object, to be freed, once it has no other handle. */
  remove(handle: Handle): T | undefined {
    const object = this.objects.get(handle);
    this.objects.delete(handle);
    return [...this.objects.values()].includes(object!) ? undefined : object;
  }
}
