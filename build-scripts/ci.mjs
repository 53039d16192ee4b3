// What continuous integration runs (.ci/run): npm test, then npm run test:train whatever came of it. The
// last line counts the tests of both.
import { main, npm } from './lib/run.mjs';

/** The closing line of a test command: "12 passed, 1 failed", and maybe ", 3 skipped". */
function countsIn({ code, output }) {
  const found = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/gm)].at(
    -1,
  );
  const [passed, failed, skipped] = (found?.slice(1) ?? []).map((n) => Number(n ?? 0));
  if (found && (code === 0) === (failed === 0)) return { passed, failed, skipped };
  return { passed: passed ?? 0, failed: Math.max(1, failed ?? 0), skipped: skipped ?? 0 };
}

await main(async () => {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const name of ['test', 'test:train']) {
    const counts = countsIn(await npm(['run', name], { show: 'live', allowFailure: true }));
    for (const key of Object.keys(total)) total[key] += counts[key];
    console.log(`ci: npm run ${name}: ${counts.passed} passed, ${counts.failed} failed`);
  }
  const skipped = total.skipped ? `, ${total.skipped} skipped` : '';
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
});
