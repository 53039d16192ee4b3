// npm start [-- --port N] [--host ADDRESS] [--debug]: set-up, build, and the page on this machine.
import { build } from './build.mjs';
import { distDir, modelsDir } from './lib/paths.mjs';
import { main, seconds, UserError } from './lib/run.mjs';
import { createStaticServer } from './serve.mjs';
import { needs, setUp } from './setup.mjs';

function option(name) {
  const index = process.argv.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  if (index < 0) return undefined;
  return process.argv[index].includes('=')
    ? process.argv[index].split('=')[1]
    : process.argv[index + 1];
}

/** Listens on the port asked for, or on 8080 or the next free one when none was. */
async function serve(settings, asked) {
  const first = asked ?? 8080;
  for (let port = first; ; port++) {
    try {
      return await createStaticServer(distDir, { ...settings, port });
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
      if (asked !== undefined)
        throw new UserError(`port ${port} is in use. Choose another: npm start -- --port N`);
      if (port > first + 50) throw new UserError(`ports ${first} to ${port} are in use`);
    }
  }
}

await main(async () => {
  const text = option('--port') ?? process.env.PORT;
  const port = text === undefined ? undefined : Number(text);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65536)) {
    throw new UserError(`'${text}' is no port number. Use: npm start -- --port 8080`);
  }
  const setUpMs = await setUp(needs.start, { optional: ['model'] });
  const buildMs = await build({ debug: process.argv.includes('--debug') });
  const host = option('--host');
  // The 98 MB model is not part of dist/: it is served beside it.
  const mounts = { '/models/real/': modelsDir };
  const server = await serve({ ...(host ? { host } : {}), mounts }, port);
  console.log(`\nset-up ${seconds(setUpMs)}, build ${seconds(buildMs)}`);
  console.log(`kvscope: ${server.url}   (Ctrl-C ends it)`);
});
