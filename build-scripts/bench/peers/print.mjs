// The comparison as tables: each engine's speed, and each goal beside what was measured.
import { machineText, quietText } from '../report.mjs';
import { median } from '../stats.mjs';
import { percent, range, short, table } from '../table.mjs';
import { defaultModelGoals, ratioGoals, shareGoals } from './goals.mjs';

const titles = {
  relaxed: 'kvscope, relaxed, 1 thread',
  simd: 'kvscope, simd, 1 thread',
  'relaxed-threads': 'kvscope, relaxed, 2 threads',
  native: 'native llama.cpp, same file, 1 thread',
  'native-q4_0': 'native llama.cpp, Q4_0 (repacked), 1 thread',
  'ort-q8': 'ONNX Runtime Web, q8, 1 thread',
  'wllama-3': 'wllama 3, same file, 1 thread',
  'wllama-2': 'wllama 2, Q4_0, 1 thread',
};

const find = (results, name, { measure, length }) =>
  results.find((r) => r.name === name && r.measure === measure && r.length === length);
const label = ({ measure, length }) =>
  measure === 'decode' ? `decode @${length}` : `prefill ${length}`;

function speeds(results) {
  const rows = results.map((r) => [
    label(r),
    titles[r.name],
    short(r.tokensPerSecond.median),
    range(r.tokensPerSecond),
    r.tokensPerSecond.runs,
    r.engineTokensPerSecond ? short(r.engineTokensPerSecond.median) : '',
  ]);
  return table(['measure', 'engine', 'tok/s', 'range', 'runs', "by the engine's own clock"], rows);
}

/** Ratio of the medians, and the range of the ratios of one round. */
function ratio(results, goal) {
  const [a, b] = [goal.engine, goal.peer].map((name) => find(results, name, goal));
  if (!a || !b) return undefined;
  const pairs = b.rounds
    .filter((round) => a.rounds.includes(round))
    .map((round) => {
      const at = (r) => r.tokensPerSecond.samples[r.rounds.indexOf(round)];
      return at(a) / at(b);
    });
  return {
    ofMedians: a.tokensPerSecond.median / b.tokensPerSecond.median,
    median: median(pairs),
    min: Math.min(...pairs),
    max: Math.max(...pairs),
  };
}

const verdict = (value, atLeast) =>
  value >= atLeast ? 'reached' : `${percent(value / atLeast)} of it`;

export function ratioRows(results, goals) {
  return goals
    .map((goal) => ({ ...goal, found: ratio(results, goal) }))
    .filter(({ found }) => found)
    .map((goal) => ({ ...goal, text: `${titles[goal.engine]} ÷ ${titles[goal.peer]}` }));
}

const ratioCells = (row) => [
  label(row),
  row.text,
  short(row.found.ofMedians),
  range(row.found),
  `≥ ${row.atLeast}`,
  verdict(row.found.ofMedians, row.atLeast),
];

/** What one thread reaches of the bandwidth (decode) or of the dot peak (prefill). */
function shareRows({ results, ceiling }) {
  return shareGoals
    .map((goal) => ({ ...goal, result: find(results, 'relaxed', goal) }))
    .filter(({ result }) => result)
    .map(({ measure, length, atLeast, result }) => {
      const perSecond = result.engineTokensPerSecond.median;
      const share =
        measure === 'decode'
          ? (result.bytesPerToken * perSecond) / ceiling.bytesPerSecond
          : (result.macsPerToken * perSecond) / ceiling.macsPerSecond;
      const of = measure === 'decode' ? 'bandwidth' : 'dot peak';
      return [
        label({ measure, length }),
        `share of the measured ${of}`,
        percent(share),
        '',
        `≥ ${percent(atLeast)}`,
        verdict(share, atLeast),
      ];
    });
}

export function printComparison(report) {
  const { real, default: tiny } = report;
  const headings = ['measure', 'what', 'found', 'range', 'goal', ''];
  const rows = [...ratioRows(real.results, ratioGoals).map(ratioCells), ...shareRows(real)];
  const parts = [
    machineText({ ...report, model: real.model }),
    quietText([...real.rounds, ...(tiny?.rounds ?? [])]),
    speeds(real.results),
    `Ceilings, 1 thread: ${short(real.ceiling.bytesPerSecond / 1e9)} GB/s, ${short(real.ceiling.macsPerSecond / 1e9)} GMAC/s`,
    table(headings, rows),
  ];
  if (tiny) {
    parts.push(`The default model, ${tiny.model.name}:\n${speeds(tiny.results)}`);
    parts.push(table(headings, ratioRows(tiny.results, defaultModelGoals).map(ratioCells)));
  }
  console.log(`\n${parts.join('\n\n')}\n`);
}
