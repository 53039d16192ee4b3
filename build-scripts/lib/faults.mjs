// What can go wrong between a server and a page, asked for by query parameters:
//   ?status=404        that status, nothing else
//   ?html              a web page instead of the file, with status 200
//   ?delay=500         milliseconds before the first byte of the body
//   ?rate=1000000      bytes a second
//   ?truncate=5000     only the first bytes, as if that were the whole file
//   ?drop=5000         the connection breaks after that many bytes
//   ?stall=5000        after that many bytes nothing more comes, and the connection stays open
//   ?nolength          no Content-Length
import { setTimeout as sleep } from 'node:timers/promises';

const numeric = ['status', 'delay', 'rate', 'truncate', 'drop', 'stall'];

export function parseFaults(query) {
  const faults = {};
  for (const name of numeric) if (query.has(name)) faults[name] = Number(query.get(name));
  for (const name of ['html', 'nolength']) if (query.has(name)) faults[name] = true;
  // A shorter body than Content-Length says would be an error of the protocol, not a short file.
  if (faults.truncate !== undefined) faults.nolength = true;
  return faults;
}

/** Sends body (a stream) with the faults; response has its headers already. */
export async function faultyBody(body, response, faults) {
  const limit = faults.truncate ?? faults.drop ?? faults.stall ?? Number.POSITIVE_INFINITY;
  const started = performance.now();
  response.on('close', () => body.destroy());
  let sent = 0;
  try {
    if (faults.delay) await sleep(faults.delay);
    for await (const chunk of body) {
      const part = chunk.subarray(0, limit - sent);
      sent += part.length;
      if (!response.write(part))
        await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
      if (sent >= limit || response.destroyed) break;
      if (faults.rate)
        await sleep(Math.max(0, (1000 * sent) / faults.rate - (performance.now() - started)));
    }
  } catch {
    return; // the browser went away
  }
  if (faults.drop !== undefined) response.destroy();
  else if (faults.stall === undefined) response.end();
}
