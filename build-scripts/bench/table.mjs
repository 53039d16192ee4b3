// Text tables and plots for a terminal.

/** A number with three significant digits: 0.0123, 1.23, 123, 12300. */
export function short(value) {
  if (value === undefined || !Number.isFinite(value)) return '-';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toFixed(Math.min(digits, 4));
}

export const percent = (share) => (share === undefined ? '' : `${(share * 100).toFixed(0)} %`);
export const mebibytes = (bytes) =>
  bytes === undefined ? '-' : `${(bytes / 2 ** 20).toFixed(bytes < 2 ** 24 ? 1 : 0)} MiB`;
export const range = ({ min, max }) => `${short(min)} – ${short(max)}`;

/** rows: arrays of cells; text to the left, numbers to the right. */
export function table(headings, rows) {
  const cells = [headings, ...rows].map((row) => row.map((cell) => String(cell ?? '')));
  const widths = headings.map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  const numeric = headings.map((_, i) =>
    cells
      .slice(1)
      .every((row) => /^[-\d.,– ]*( ?\S+)?$/.test(row[i]) && /\d|^-?$/.test(row[i][0] ?? '-')),
  );
  const line = (row) =>
    row
      .map((cell, i) => (numeric[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join('  ')
      .trimEnd();
  return [
    line(cells[0]),
    widths.map((w) => '-'.repeat(w)).join('  '),
    ...cells.slice(1).map(line),
  ].join('\n');
}

/** Horizontal bars: points: [{ label, value, text }]. */
export function bars(points, width = 50) {
  const largest = Math.max(...points.map(({ value }) => value));
  const labelWidth = Math.max(...points.map(({ label }) => label.length));
  return points
    .map(({ label, value, text }) => {
      const bar = '█'.repeat(Math.max(1, Math.round((value / largest) * width)));
      return `${label.padStart(labelWidth)} ${bar} ${text}`;
    })
    .join('\n');
}
