// Serves what the measured pages need: dist/ as it is, and beside it the pages, ceilings and models.
import path from 'node:path';
import { at, distDir } from '../lib/paths.mjs';
import { createStaticServer } from '../serve.mjs';
import { ceilingsDir } from './ceilings.mjs';

export const modelUrl = (file) => `../bench-model/${encodeURIComponent(path.basename(file))}`;

/** dist: another folder to serve as dist/. isolated: with the headers that threads need. */
export function serveBench(modelFile, { dist = distDir, isolated = true, mounts = {} } = {}) {
  return createStaticServer(dist, {
    isolated,
    mounts: {
      '/bench/': at('tests/bench'),
      '/ceilings/': ceilingsDir,
      '/bench-model/': path.dirname(modelFile),
      ...mounts,
    },
  });
}
