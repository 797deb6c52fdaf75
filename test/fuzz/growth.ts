import type { State } from './subject.js';
import { exchangeOf } from './token.js';

/** Bytes by which a short run may grow: filled caches and compiled code. */
const BOUND = 6_000_000;
/** How many more timers and the like there may be at the end. */
const MOST_HANDLES = 3;

/** One look at the server, with all connections closed. */
export interface Sample {
  readonly seconds: number;
  readonly exchanges: number;
  readonly state: State;
}

interface Left {
  readonly what: string;
  readonly exchanges: readonly number[];
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** Memory in use, on and off the heap. `external` includes array buffers. */
export const keptBytes = ({ heapUsed, external }: State): number => heapUsed + external;

/** One line of the curve. */
export const line = ({ seconds, exchanges, state }: Sample): string =>
  `${seconds.toFixed(0).padStart(5)} s ${String(exchanges).padStart(8)} exchanges  kept ${megabytes(keptBytes(state)).padStart(6)} MB (heap ${megabytes(state.heapUsed)}, external ${megabytes(state.external)})  rss ${megabytes(state.rss)}  ${Object.entries(
    state.handles,
  )
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ')}`;

/**
 * Growth of memory from the middle of a run to its end, since the first half fills bounded caches, and of timers and
 * handles over the whole run, since nothing may be pending without a connection.
 */
export function growthOf(samples: readonly Sample[]): string[] {
  if (samples.length < 4) return [];
  const middle = Math.floor(samples.length / 2);
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const last = samples.slice(-quarter);
  const [before, after] = [samples.slice(middle - quarter, middle), last].map((part) =>
    least(part, keptBytes),
  );
  const grown =
    (after ?? 0) - (before ?? 0) > BOUND
      ? [
          `memory grew from ${megabytes(before ?? 0)} to ${megabytes(after ?? 0)} MB in the second half of the run`,
        ]
      : [];
  for (const kind of Object.keys(last[0]?.state.handles ?? {})) {
    const count = ({ handles }: State) => handles[kind] ?? 0;
    const [first, end] = [least(samples.slice(0, quarter), count), least(last, count)];
    if (end - first > MOST_HANDLES)
      grown.push(`${kind} grew from ${first} to ${end} with all connections closed`);
  }
  return grown;
}

const least = (part: readonly Sample[], of: (state: State) => number): number =>
  Math.min(...part.map(({ state }) => of(state)));

/**
 * Operations that are open although all connections are closed, except operations whose token is `known`, with their
 * exchanges if they can be determined. `owners` maps ports of connections to exchanges.
 */
export function leftOpen(
  { open: all, handles, sockets }: State,
  known: ReadonlySet<string>,
  owners: ReadonlyMap<number, number>,
): readonly Left[] {
  const open = all.filter(({ token }) => !known.has(token));
  const kinds = [...new Set(open.map(({ kind }) => kind))];
  const left = kinds.map((what) => ({
    what,
    exchanges: open.filter(({ kind }) => kind === what).flatMap(({ token }) => exchangeOf(token) ?? []),
  }));
  const ours = sockets.flatMap((port) => owners.get(port) ?? []);
  return (handles.TCPSocketWrap ?? 0) > 0 ? [...left, { what: 'sockets', exchanges: ours }] : left;
}
