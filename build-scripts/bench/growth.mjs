// How cost grows: prefill time a token with the prompt's length, decode time with the context.
import { fitLine } from './stats.mjs';
import { bars, short } from './table.mjs';

/**
 * A prompt token attends to (n + 1) / 2 positions on average, a decoded one to its context: time a
 * token = the matrices' share + positions × attention's share. relativeError: the largest distance
 * of a measured point from that line.
 */
function fit(rows, positionsOf) {
  const points = rows.map((row) => ({
    length: row.length,
    x: positionsOf(row),
    y: row.ms.median / row.tokens,
  }));
  if (points.length < 2) return undefined;
  const { slope, intercept, r2 } = fitLine(points);
  const relativeError = Math.max(
    ...points.map(({ x, y }) => Math.abs(y - intercept - slope * x) / y),
  );
  return { points, matrixMs: intercept, attentionUsPerPosition: slope * 1000, r2, relativeError };
}

/** One entry for each build and measure that has two lengths or more. */
export function measureGrowth(rows) {
  const found = [];
  for (const build of new Set(rows.map((row) => row.build))) {
    const of = (measure) => rows.filter((row) => row.build === build && row.measure === measure);
    // A short prompt fills the tiles of the matrix kernels badly: that is no growth.
    const prefill = fit(
      of('prefill').filter((row) => row.length >= 128),
      (row) => (row.length + 1) / 2,
    );
    if (prefill) found.push({ build, measure: 'prefill', ...prefill });
    const decode = fit(of('decode'), (row) => row.length + (row.tokens + 1) / 2);
    if (!decode) continue;
    const { kvBytesPerToken, length, tokens } = of('decode').at(-1);
    const bytesPerPosition = kvBytesPerToken / (length + (tokens + 1) / 2);
    const cacheBytesPerSecond = (bytesPerPosition * 1e6) / decode.attentionUsPerPosition;
    found.push({ build, measure: 'decode', ...decode, bytesPerPosition, cacheBytesPerSecond });
  }
  return found;
}

function describe(entry) {
  const line = `${short(entry.matrixMs)} ms + ${short(entry.attentionUsPerPosition)} µs × positions`;
  const off = `at most ${(entry.relativeError * 100).toFixed(1)} % off the line, r² ${entry.r2.toFixed(4)}`;
  if (entry.measure === 'prefill') return `  = ${line} attended on average (${off})`;
  const rate = `${short(entry.cacheBytesPerSecond / 1e9)} GB/s of cache, ${Math.round(entry.bytesPerPosition)} bytes a position`;
  return `  = ${line} of context (${off}; ${rate})`;
}

export function growthText(growth) {
  return growth
    .map((entry) => {
      const what = entry.measure === 'prefill' ? 'prompt' : 'context';
      const points = entry.points.map(({ length, y }) => ({
        label: `${what} ${length}`,
        value: y,
        text: `${short(y)} ms`,
      }));
      return `${entry.build}: ${entry.measure}, ms a token\n${bars(points)}\n${describe(entry)}`;
    })
    .join('\n\n');
}
