// What `npm run bench` prints, and the JSON that it leaves.
import fs from 'node:fs';
import path from 'node:path';
import { at } from '../lib/paths.mjs';
import { growthText } from './growth.mjs';
import { mebibytes, percent, range, short, table } from './table.mjs';

/** Wall time that is this much longer than the engine's own is worth a word. */
const wallTolerance = 0.05;
/** Others' use of the machine above which figures are not to be trusted. */
const busyCores = 0.15;

export function machineText({ machine, model }) {
  return [
    `${machine.processor}, ${machine.cores} cores, ${mebibytes(machine.memoryBytes)}; ${machine.system}`,
    `Chromium ${machine.chromium} (headless), Node ${machine.node}; commit ${machine.commit}, ${machine.changedFiles} changed files`,
    ...(model ? [`${model.name}, ${model.quantization}, ${mebibytes(model.bytes)}`] : []),
  ].join('\n');
}

export function quietText(rounds) {
  const others = rounds.map((round) => round.otherCores).filter((n) => n !== undefined);
  if (others.length === 0) return '';
  const most = Math.max(...others);
  const text = `other processes used up to ${most.toFixed(2)} cores during a run`;
  return most > busyCores
    ? `WARNING: the machine was busy: ${text}. Do not quote these figures.`
    : text;
}

function ceilingsText(ceilings) {
  const unit = (name) => (/^(memory|bandwidth)/.test(name) ? 'GB/s' : 'GMAC/s');
  const rows = Object.entries(ceilings).map(([name, { median, min, max }]) => [
    name.replace(/\.(\d)$/, ''),
    name.at(-1),
    `${short(median / 1e9)} ${unit(name)}`,
    range({ min: min / 1e9, max: max / 1e9 }),
  ]);
  return table(['ceiling', 'threads', 'median', 'range'], rows);
}

function speedText(rows) {
  const line = (row) => {
    const wall = row.wallMs.median / row.ms.median - 1;
    return [
      row.build,
      row.threads,
      row.measure === 'prefill' ? `prefill ${row.length}` : `decode @${row.length}`,
      short(row.tokensPerSecond.median),
      range(row.tokensPerSecond),
      short(row.ms.median / row.tokens),
      `${short(row.macsPerSecond / 1e9)} (${percent(row.shareOfDotPeak)})`,
      row.bytesPerSecond
        ? `${short(row.bytesPerSecond / 1e9)} (${percent(row.shareOfBandwidth)})`
        : '',
      wall > wallTolerance ? `+${percent(wall)}` : '',
    ];
  };
  const headings = [
    'build',
    'threads',
    'measure',
    'tok/s',
    'range',
    'ms/tok',
    'GMAC/s (of peak)',
    'GB/s (of peak)',
    'wall',
  ];
  return table(headings, rows.map(line));
}

function messagesText(rows) {
  const of = (build, mode) => rows.find((row) => row.build === build && row.mode === mode);
  const outside = ({ outsideMs }) => `${short(outsideMs.median)} (${range(outsideMs)})`;
  const line = (build) => {
    const [shared, single] = [of(build, 'shared'), of(build, 'single')];
    return [build, short(shared.ms.median), outside(shared), outside(single)];
  };
  return table(
    ['build', 'engine, ms/tok', 'outside, ms/tok', 'with a message for each step'],
    [...new Set(rows.map((row) => row.build))].map(line),
  );
}

function loadText(rows) {
  const ms = (s) => `${short(s.median)} (${range(s)})`;
  return table(
    ['build', 'read alone, ms', 'load, ms', 'more, ms'],
    rows.map((r) => [r.build, ms(r.readMs), ms(r.loadMs), ms(r.moreMs)]),
  );
}

function memoryText(rows) {
  return table(
    ['build', 'file', 'weights', 'heap loaded', 'heap peak', 'renderer peak', 'empty page'],
    rows.map((r) => [
      r.build,
      ...[r.fileBytes, r.weightBytes, r.loadedBytes, r.peakBytes].map(mebibytes),
      ...[r.rendererPeakBytes, r.emptyPageBytes].map(mebibytes),
    ]),
  );
}

const firstTokenText = ({ bytes, ms }) =>
  `First token on the page as it opens: ${short(ms.median)} ms (${range(ms)}) after the model's last byte, ` +
  `${bytes.toLocaleString('en')} bytes over the wire, not compressed`;

export function printReport(report) {
  const parts = [machineText(report)];
  if (report.speed) {
    parts.push(quietText(report.speed.rounds), ceilingsText(report.speed.ceilings));
    parts.push(speedText(report.speed.rows), growthText(report.growth));
  }
  if (report.messages) {
    const { rows, rounds } = report.messages;
    const title = 'Outside the engine, with the default model';
    parts.push(`${title} (${quietText(rounds)}):\n${messagesText(rows)}`);
  }
  if (report.load) parts.push(`Loading, in a new page:\n${loadText(report.load)}`);
  if (report.memory) {
    const { promptTokens } = report.memory[0];
    parts.push(
      `Memory (peak: after a prompt of ${promptTokens} tokens and 32 decoded):\n${memoryText(report.memory)}`,
    );
  }
  if (report.firstToken) parts.push(firstTokenText(report.firstToken));
  console.log(`\n${parts.filter(Boolean).join('\n\n')}\n`);
}

/** Writes build/bench/<name>-<time>.json and <name>-latest.json; returns the first. */
export function saveReport(name, report) {
  const dir = at('build/bench');
  fs.mkdirSync(dir, { recursive: true });
  const time = report.at.replace(/[:.]/g, '-').slice(0, 19);
  const file = path.join(dir, `${name}-${time}.json`);
  const text = `${JSON.stringify(report, null, 1)}\n`;
  fs.writeFileSync(file, text);
  fs.writeFileSync(path.join(dir, `${name}-latest.json`), text);
  return path.relative(at(), file);
}
