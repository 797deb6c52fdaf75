import { createHash } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';

export type Change = 'added' | 'changed' | 'removed';

interface State {
  /** Differs when a file was written or replaced; empty if nobody has looked. */
  readonly written: string;
  /** Changes with owner, mode and links as well. */
  readonly touched: bigint;
  /** Tells apart two texts of one length that were written within one tick of the file system's clock. */
  readonly content: string | undefined;
}

const UNSEEN: State = { written: '', touched: 0n, content: undefined };

/** Nanoseconds in which the coarsest clock of a file system ticks once. */
const CLOCK_TICK_NS = 2_000_000_000n;

/** Bytes of a file above which its content is not compared. */
const MAX_COMPARED_BYTES = 4_000_000n;

/** The files there were when last looked, so that events need only say where to look. */
export class Snapshot {
  readonly #states = new Map<string, State>();

  get size(): number {
    return this.#states.size;
  }

  has(file: string): boolean {
    return this.#states.has(file);
  }

  /** Take `file` as it is now for known. What does not matter is noted by name only. */
  record(file: string, matters: boolean): void {
    const stats = matters ? fileStats(file) : undefined;
    if (stats) this.#states.set(file, stateOf(file, stats, isRecent(stats)));
    else if (!matters) this.#states.set(file, UNSEEN);
  }

  below(directory: string): string[] {
    return [...this.#states.keys()].filter((file) => file.startsWith(directory));
  }

  /** The change of `file` since it was recorded or renewed. */
  compare(file: string): Change | undefined {
    const before = this.#states.get(file);
    const stats = fileStats(file);
    if (!stats || !before) return stats ? 'added' : before && 'removed';
    if (before.written !== writtenOf(stats)) return 'changed';
    const same =
      before.content === undefined
        ? before.touched === stats.ctimeNs
        : before.content === contentOf(file, stats);
    return same ? undefined : 'changed';
  }

  /** The same, and take `file` as it is now for known. */
  renew(file: string): Change | undefined {
    const change = this.compare(file);
    const stats = fileStats(file);
    if (stats) this.#states.set(file, stateOf(file, stats, true));
    else this.#states.delete(file);
    return change;
  }
}

function fileStats(path: string): BigIntStats | undefined {
  const stats = statsOf(path);
  return stats?.isFile() ? stats : undefined;
}

function stateOf(file: string, stats: BigIntStats, withContent: boolean): State {
  return {
    written: writtenOf(stats),
    touched: stats.ctimeNs,
    content: withContent ? contentOf(file, stats) : undefined,
  };
}

const writtenOf = ({ ino, size, mtimeNs }: BigIntStats): string => `${ino} ${size} ${mtimeNs}`;

const isRecent = ({ mtimeNs }: BigIntStats): boolean =>
  BigInt(Date.now()) * 1_000_000n - mtimeNs < CLOCK_TICK_NS;

function contentOf(file: string, { size }: BigIntStats): string | undefined {
  if (size > MAX_COMPARED_BYTES) return undefined;
  try {
    return createHash('sha1').update(readFileSync(file)).digest('base64');
  } catch {
    return undefined;
  }
}

/** Undefined where there is nothing, also where a link leads nowhere or in a circle. */
export function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}
