// npm run setup [-- --only STEP,STEP]: gets everything that building, serving and testing need. Each step is
// skipped when it is done; all skipped takes well under a second.
import { main, seconds, UserError } from './lib/run.mjs';
import { browser } from './setup/browser.mjs';
import { clangFormat } from './setup/clang-format.mjs';
import { emscripten } from './setup/emscripten.mjs';
import { model } from './setup/model.mjs';
import { nativeTools } from './setup/native-tools.mjs';
import { npmPackages } from './setup/npm-packages.mjs';
import { otherBrowsers } from './setup/other-browsers.mjs';
import { trainingPython } from './setup/training-python.mjs';

const forTests = {
  ...{ nativeTools, emscripten, npmPackages, clangFormat },
  ...{ browser, otherBrowsers, model },
};
const steps = { ...forTests, trainingPython };

/** Steps that a command needs: to build, to look at the page, to run the tests. */
export const needs = {
  build: ['nativeTools', 'emscripten', 'npmPackages'],
  start: ['nativeTools', 'emscripten', 'npmPackages', 'model'],
  test: Object.keys(forTests),
};

/**
 * Runs the named steps in order, prints only what there is to do, resolves to the milliseconds it took.
 * A failing step ends it, unless it is among the optional ones: then it is only said.
 */
export async function setUp(names, { optional = [] } = {}) {
  const started = performance.now();
  let done = 0;
  for (const name of names) {
    const step = steps[name];
    if (!step)
      throw new UserError(`no set-up step '${name}'. There are: ${Object.keys(steps).join(', ')}`);
    if (await step.isDone()) continue;
    const t0 = performance.now();
    console.log(`set-up: ${step.title}`);
    try {
      await step.run();
    } catch (error) {
      if (!optional.includes(name)) throw error;
      console.warn(`set-up: ${step.title}: going on without it: ${error.message}`);
      continue;
    }
    if (!(await step.isDone())) throw new UserError(`${step.title}: ran, but is not complete`);
    console.log(`set-up: ${step.title}: done in ${seconds(performance.now() - t0)}`);
    done++;
  }
  const took = performance.now() - started;
  console.log(`set-up: ${done ? `${done} steps done` : 'complete'} (${seconds(took)})`);
  return took;
}

if (import.meta.filename === process.argv[1]) {
  const at = process.argv.indexOf('--only');
  await main(() => setUp(at > 0 ? process.argv[at + 1].split(',') : needs.test));
}
