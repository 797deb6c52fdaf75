import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { getHeapSpaceStatistics } from 'node:v8';

// Loaded into a server by `--import` before its own code; counts function calls while the parent sends requests.

const session = new Session();
session.connect();
session.post('Profiler.enable');

let young = 0;

/** Commands of the parent; each is answered with one message. */
const answers: Readonly<Record<string, () => unknown>> = {
  count() {
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    taken();
  },
  calls() {
    const calls = taken();
    session.post('Profiler.stopPreciseCoverage');
    return calls;
  },
  collect() {
    globalThis.gc?.();
    young = allocated();
  },
  bytes: () => allocated() - young,
};

process.on('message', (question: string) => process.send?.(answers[question]?.() ?? null));
process.on('disconnect', () => process.exit());

/** Bytes of the young generation only: a collection of the old one continues concurrently after it was requested. */
function allocated(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_used_size ?? 0;
}

/** How often each function was called since the last time, by file, offset and name. Node's own do not count. */
function taken(): Record<string, number> {
  const calls: Record<string, number> = {};
  session.post('Profiler.takePreciseCoverage', (failure, coverage) => {
    if (failure) throw failure;
    for (const { url, functions } of coverage.result) {
      if (!url.startsWith('file:') || url === import.meta.url) continue;
      for (const { functionName, ranges } of functions)
        for (const { startOffset, count } of ranges)
          if (count > 0) calls[`${fileURLToPath(url)}:${startOffset} ${functionName}`] = count;
    }
  });
  return calls;
}
