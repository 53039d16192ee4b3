// Reads CPU samples out of a Chromium trace (category disabled-by-default-v8.cpu_profiler).

/** The time of a performance.mark(), in microseconds of the trace's clock. */
function timeOf(events, mark) {
  const event = events.find(({ name, cat }) => name === mark && cat.includes('blink.user_timing'));
  if (!event) throw new Error(`the trace has no mark '${mark}'`);
  return event.ts;
}

function nameOf({ functionName, url }) {
  return {
    name: functionName || '(anonymous)',
    isWasm: Boolean(url?.startsWith('wasm://') || url?.endsWith('.wasm')),
  };
}

/** Samples of one profile (one thread): { name, isWasm, us, at }. */
function readSamples(startTime, chunks) {
  const names = new Map();
  const samples = [];
  let time = startTime;
  for (const { args } of chunks) {
    const { cpuProfile = {}, timeDeltas = [] } = args.data;
    for (const { id, callFrame } of cpuProfile.nodes ?? []) names.set(id, nameOf(callFrame));
    (cpuProfile.samples ?? []).forEach((id, i) => {
      time += timeDeltas[i];
      samples.push({ ...names.get(id), us: timeDeltas[i], at: time });
    });
  }
  return samples;
}

/** One entry for each thread with samples between the two marks: { thread, samples }. */
export function readTrace({ traceEvents: events }, beginMark, endMark) {
  const [begin, end] = [timeOf(events, beginMark), timeOf(events, endMark)];
  const key = ({ pid, id }) => `${pid} ${id}`;
  const threads = [];
  for (const profile of events.filter(({ name }) => name === 'Profile')) {
    const chunks = events
      .filter((event) => event.name === 'ProfileChunk' && key(event) === key(profile))
      .sort((a, b) => a.ts - b.ts);
    const samples = readSamples(profile.args.data.startTime, chunks).filter(
      ({ at }) => at >= begin && at <= end,
    );
    if (samples.length > 0) threads.push({ thread: key(profile), samples });
  }
  return threads;
}
