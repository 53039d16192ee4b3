// Where things are. Every script finds its files from here, whatever folder it is started in.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const at = (...parts) => path.join(root, ...parts);

export const distDir = at('dist');
export const modelsDir = at('.models');
export const toolsDir = at('.tools');
// A toolchain can be shared between checkouts: KVSCOPE_TOOLCHAIN names its folder.
export const toolchainDir = process.env.KVSCOPE_TOOLCHAIN ?? at('.toolchain');
