// What the figures were measured on, and whether something else was running there meanwhile.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { root } from '../lib/paths.mjs';

function quiet(command, args) {
  try {
    return execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}

export function describeMachine(chromiumVersion) {
  const system = fs.existsSync('/etc/os-release')
    ? /^PRETTY_NAME="?([^"\n]*)/m.exec(fs.readFileSync('/etc/os-release', 'utf8'))?.[1]
    : undefined;
  return {
    processor: os.cpus()[0]?.model ?? 'unknown',
    cores: os.cpus().length,
    memoryBytes: os.totalmem(),
    system: system ?? `${os.type()} ${os.release()}`,
    node: process.version,
    chromium: chromiumVersion,
    commit: quiet('git', ['rev-parse', '--short', 'HEAD']),
    changedFiles: quiet('git', ['status', '--porcelain'])?.split('\n').filter(Boolean).length,
  };
}

export const loadAverage = () => os.loadavg().map((n) => Number(n.toFixed(2)));

const ticksPerSecond = 100; // USER_HZ: 100 on every Linux that runs Chromium

/** Processor seconds used so far by the whole machine; undefined elsewhere than on Linux. */
function machineSeconds() {
  if (process.platform !== 'linux') return undefined;
  const fields = /^cpu +(.*)$/m.exec(fs.readFileSync('/proc/stat', 'utf8'))[1].split(' ');
  const [user, nice, system, , , irq, softirq] = fields.map(Number);
  return (user + nice + system + irq + softirq) / ticksPerSecond;
}

/** pid → { parent, seconds } of every process that can be read. */
function processTable() {
  const table = new Map();
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const seconds = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
      table.set(Number(pid), { parent: Number(fields[1]), seconds });
    } catch {
      // it has ended meanwhile
    }
  }
  return table;
}

/** Processor seconds used so far by this process and all that it started and that still run. */
function ownSeconds() {
  const table = processTable();
  const isOwn = (pid) => pid === process.pid || (table.has(pid) && isOwn(table.get(pid).parent));
  let seconds = 0;
  for (const [pid, entry] of table) if (isOwn(pid)) seconds += entry.seconds;
  return seconds;
}

/** Starts to watch; the returned function tells how many cores others used since, on average. */
export function watchOthers() {
  if (machineSeconds() === undefined) return () => undefined;
  const [machine, own, started] = [machineSeconds(), ownSeconds(), performance.now()];
  return () => {
    const others = machineSeconds() - machine - (ownSeconds() - own);
    return Math.max(0, (others * 1000) / (performance.now() - started));
  };
}
