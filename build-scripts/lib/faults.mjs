// What can go wrong between a server and a page, asked for by query parameters:
//   ?status=404        that status, nothing else
//   ?html              a web page instead of the file, with status 200
//   ?delay=500         milliseconds before the first byte of the body
//   ?rate=1000000      bytes a second
//   ?truncate=5000     only the first bytes, as if that were the whole file
//   ?drop=5000         the connection breaks at that byte of the file, each time it is asked for
//   ?flaky=5000        each connection breaks after that many bytes and a moment, in which they are read
//   ?noversion         no ETag, so that nobody can tell one version of the file from another
//   ?stall=5000        after that many bytes nothing more comes, and the connection stays open
//   ?nolength          no Content-Length
import { setTimeout as sleep } from 'node:timers/promises';

const numeric = ['status', 'delay', 'rate', 'truncate', 'drop', 'flaky', 'stall'];

export function parseFaults(query) {
  const faults = {};
  for (const name of numeric) if (query.has(name)) faults[name] = Number(query.get(name));
  for (const name of ['html', 'nolength', 'noversion']) if (query.has(name)) faults[name] = true;
  // A shorter body than Content-Length says would be an error of the protocol, not a short file.
  if (faults.truncate !== undefined) faults.nolength = true;
  return faults;
}

/** Sends body (a stream, from byte `first` of the file) with the faults; response has its headers already. */
export async function faultyBody(body, response, faults, first) {
  const dropAt = faults.drop === undefined ? faults.flaky : Math.max(0, faults.drop - first);
  const limit = faults.truncate ?? dropAt ?? faults.stall ?? Number.POSITIVE_INFINITY;
  response.flushHeaders();
  const started = performance.now();
  response.on('close', () => body.destroy());
  let sent = 0;
  try {
    if (faults.delay) await sleep(faults.delay);
    for await (const chunk of body) {
      const part = chunk.subarray(0, limit - sent);
      sent += part.length;
      // Until it is out: what is still waiting when the connection breaks would not be sent at all.
      await new Promise((resolve) => response.write(part, resolve));
      if (sent >= limit || response.destroyed) break;
      if (faults.rate)
        await sleep(Math.max(0, (1000 * sent) / faults.rate - (performance.now() - started)));
    }
  } catch {
    return; // the browser went away
  }
  if (faults.flaky !== undefined && sent >= limit) await sleep(300);
  if (dropAt !== undefined && sent >= dropAt) response.destroy();
  else if (faults.stall === undefined) response.end();
}
