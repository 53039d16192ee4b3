// npm run format: formats C++, JavaScript, TypeScript, CSS and JSON, and applies safe lint fixes.
import { fixes } from './lib/lint.mjs';
import { main, UserError } from './lib/run.mjs';
import { setUp } from './setup.mjs';

await main(async () => {
  await setUp(['npmPackages', 'clangFormat']);
  for (const [name, fix] of Object.entries(fixes)) {
    const { code, output } = await fix();
    console.log(`${name}: ${code === 0 ? 'done' : output}`);
    if (code !== 0) throw new UserError(`${name} found something that only a person can mend`);
  }
});
