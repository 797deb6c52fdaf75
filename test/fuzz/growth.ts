import type { State } from './subject.js';
import { exchangeOf } from './token.js';

/** What a short run may grow by: caches that fill, code that is compiled. In bytes. */
const BOUND = 6_000_000;

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

/** What is kept, on the heap and beside it. `external` has the array buffers in it. */
export const keptBytes = ({ heapUsed, external }: State): number => heapUsed + external;

/** One line of the curve. */
export const line = ({ seconds, exchanges, state }: Sample): string =>
  `${seconds.toFixed(0).padStart(5)} s ${String(exchanges).padStart(8)} exchanges  kept ${megabytes(keptBytes(state)).padStart(6)} MB (heap ${megabytes(state.heapUsed)}, external ${megabytes(state.external)})  rss ${megabytes(state.rss)}  ${Object.entries(
    state.handles,
  )
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ')}`;

/** Memory between the middle of a run and its end: the first half fills what has a bound. */
export function growthOf(samples: readonly Sample[]): string | undefined {
  if (samples.length < 4) return undefined;
  const middle = Math.floor(samples.length / 2);
  const least = (part: readonly Sample[]) => Math.min(...part.map(({ state }) => keptBytes(state)));
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const [before, after] = [least(samples.slice(middle - quarter, middle)), least(samples.slice(-quarter))];
  if (after - before <= BOUND) return undefined;
  return `memory grew from ${megabytes(before)} to ${megabytes(after)} MB in the second half of the run`;
}

/**
 * What is still open though all connections are closed, but for what has a token that is `known`: what it is, and the
 * exchanges that it is of, where that can be told. `owners` has those by the ports of their connections.
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
