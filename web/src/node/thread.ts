import { Worker as Thread } from 'node:worker_threads';

/** A worker thread that looks like a browser's Worker, as far as api/engine-host.ts looks. */
export function startThread(worker: URL): Worker {
  const url = new URL(/* @vite-ignore */ './worker.js', import.meta.url);
  const thread = new Thread(url, {
    name: 'kvscope',
    workerData: { worker: worker.href },
    execArgv: [], // the program's own may not suit a thread (--input-type)
  });
  // A program that has nothing else to do may end, models open or not.
  thread.unref();
  const target = new EventTarget();
  let calls = 0;
  thread.on('message', (data) => {
    if ('result' in data || 'error' in data || 'fatal' in data) calls--;
    if (calls === 0) thread.unref();
    target.dispatchEvent(new MessageEvent('message', { data }));
  });
  thread.on('error', ({ message }: Error) => {
    target.dispatchEvent(Object.assign(new Event('error'), { message }));
  });
  return {
    addEventListener: target.addEventListener.bind(target),
    postMessage(message: { id?: number }, transfer: []) {
      if (message.id !== undefined && calls++ === 0) thread.ref();
      thread.postMessage(message, transfer);
    },
    terminate: () => void thread.terminate(),
  } as unknown as Worker;
}
