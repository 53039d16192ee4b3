import { abortedError } from '../api/errors';

/** Ends when the run that has the turn does. */
let last: Promise<void> = Promise.resolve();

/**
 * Elements run one after the other: at the same time each would only measure how it is slowed by the
 * rest. Resolves to the function that ends the turn; rejects when `signal` fires while waiting.
 */
export async function takeTurn(signal: AbortSignal): Promise<() => void> {
  const before = last;
  let end!: () => void;
  const mine = new Promise<void>((resolve) => {
    end = resolve;
  });
  last = before.then(() => mine);
  await before;
  if (!signal.aborted) return end;
  end();
  throw abortedError('Waiting for the engine');
}
