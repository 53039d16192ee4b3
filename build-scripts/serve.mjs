// A static file server, for `npm start` and for the browser tests.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { faultyBody, parseFaults } from './lib/faults.mjs';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
};

export const isolationHeaders = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** The strictest policy that the pages promise to work under. */
export const strictCsp =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; object-src 'none'; base-uri 'none'";

/** The file a URL path names, or undefined: outside the folders, or not there. */
function findFile(urlPath, root, options) {
  let [dir, rest] = [root, urlPath];
  const mount = Object.keys(options.mounts).find((prefix) => urlPath.startsWith(prefix));
  if (mount) [dir, rest] = [options.mounts[mount], urlPath.slice(mount.length)];
  else if (urlPath.startsWith(options.base)) rest = urlPath.slice(options.base.length);
  else return undefined;
  let file = path.resolve(dir, `./${rest}`);
  if (file !== path.resolve(dir) && !file.startsWith(path.resolve(dir) + path.sep))
    return undefined;
  if (urlPath.endsWith('/')) file = path.join(file, 'index.html');
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? { file, stat } : undefined;
}

/** First and last byte of a `Range: bytes=a-b` header; undefined: the whole; null: not satisfiable. */
function parseRange(header, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (!match[1] && !match[2])) return undefined;
  const first = match[1] ? Number(match[1]) : Math.max(0, size - Number(match[2]));
  const last = match[1] && match[2] ? Math.min(Number(match[2]), size - 1) : size - 1;
  return first > last ? null : { first, last };
}

function respond(request, response, root, options, log) {
  const url = new URL(request.url, 'http://localhost');
  const entry = { method: request.method, path: url.pathname, status: 200, bytes: 0, open: true };
  log.push(entry);
  response.on('close', () => {
    entry.open = false;
  });
  const headers = {
    'Cache-Control': 'no-cache',
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ...(options.isolated ? isolationHeaders : {}),
    ...(options.csp ? { 'Content-Security-Policy': options.csp } : {}),
    ...options.headers,
  };
  const send = (status, extra = {}, body = '') => {
    entry.status = status;
    response.writeHead(status, { ...headers, ...extra });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return send(405, { Allow: 'GET, HEAD' });

  const faults = options.faults ? parseFaults(url.searchParams) : {};
  if (faults.status)
    return send(faults.status, { 'Content-Type': 'text/plain' }, `status ${faults.status}`);
  if (faults.html)
    return send(200, { 'Content-Type': types['.html'] }, '<!doctype html><title>no model</title>');

  let urlPath;
  try {
    urlPath = decodeURIComponent(url.pathname);
  } catch {
    return send(400);
  }
  const found = findFile(urlPath, root, options);
  if (!found) return send(404, { 'Content-Type': 'text/plain' }, `not found: ${urlPath}\n`);
  const { file, stat } = found;

  headers['Content-Type'] = types[path.extname(file)] ?? 'application/octet-stream';
  headers['Accept-Ranges'] = 'bytes';
  headers.ETag = `"${stat.size.toString(36)}-${stat.mtimeMs.toString(36)}"`;
  if (faults.noversion) delete headers.ETag;
  if (headers.ETag && request.headers['if-none-match'] === headers.ETag) return send(304);
  const ifRange = request.headers['if-range'];
  const range =
    ifRange && ifRange !== headers.ETag ? undefined : parseRange(request.headers.range, stat.size);
  if (range === null) return send(416, { 'Content-Range': `bytes */${stat.size}` });
  const { first, last } = range ?? { first: 0, last: stat.size - 1 };
  if (range) headers['Content-Range'] = `bytes ${first}-${last}/${stat.size}`;
  entry.status = range ? 206 : 200;
  entry.bytes = last - first + 1;
  if (!faults.nolength) headers['Content-Length'] = last - first + 1;
  response.writeHead(entry.status, headers);
  if (request.method === 'HEAD' || stat.size === 0) return response.end();
  const body = fs.createReadStream(file, { start: first, end: last, highWaterMark: 256 * 1024 });
  if (Object.keys(faults).length > 0) return faultyBody(body, response, faults, first);
  pipeline(body, response, () => {}); // a browser that goes away is no error
}

/**
 * Serves the files under root; resolves to { url, port, options, log, bytesSent(), close() }.
 *
 * options (those of the returned object may be changed while it runs):
 *   port      0 (default): any free one          host      default 127.0.0.1
 *   base      path that root is served under, default '/'
 *   mounts    { '/models/': folder }: other folders by URL prefix
 *   isolated  COOP and COEP, so that pages may use threads; default true
 *   csp       Content-Security-Policy, e.g. strictCsp
 *   headers   more headers for every response
 *   faults    true: obey the query parameters of lib/faults.mjs (tests only)
 * log: one { method, path, status, bytes, open } for each request; bytes of its body; open until the
 *   connection has taken the last of it, or has gone.
 * bytesSent(): over all connections so far, headers included.
 */
export async function createStaticServer(root, settings = {}) {
  const options = {
    ...{ port: 0, host: '127.0.0.1', base: '/', mounts: {} },
    ...{ isolated: true, csp: undefined, headers: {}, faults: false },
    ...settings,
  };
  const log = [];
  const sockets = [];
  const server = http.createServer((request, response) =>
    respond(request, response, root, options, log),
  );
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address();
  return {
    url: `http://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${port}${options.base}`,
    port,
    options,
    log,
    bytesSent: () => sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0),
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
