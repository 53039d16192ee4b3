// Medians, ranges and straight lines.

/** The middle of the sorted values; of an even number of them, the mean of the middle two. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** { median, min, max, runs, samples }, or undefined without values. */
export function summarise(samples) {
  if (samples.length === 0) return undefined;
  return {
    median: median(samples),
    min: Math.min(...samples),
    max: Math.max(...samples),
    runs: samples.length,
    samples,
  };
}

/** Least squares: y = intercept + slope x; r2 = 1 when all points lie on the line. */
export function fitLine(points) {
  const n = points.length;
  const meanX = points.reduce((sum, p) => sum + p.x, 0) / n;
  const meanY = points.reduce((sum, p) => sum + p.y, 0) / n;
  let [sxx, sxy, syy] = [0, 0, 0];
  for (const { x, y } of points) {
    sxx += (x - meanX) ** 2;
    sxy += (x - meanX) * (y - meanY);
    syy += (y - meanY) ** 2;
  }
  const slope = sxy / sxx;
  return {
    slope,
    intercept: meanY - slope * meanX,
    r2: syy === 0 ? 1 : (sxy * sxy) / (sxx * syy),
  };
}

/** key → the values that have it, both in the order in which they came. */
export function groupBy(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}
