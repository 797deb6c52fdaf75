import { createHash } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';

export type Change = 'added' | 'changed' | 'removed';

interface State {
  /** Changes when a file is written or replaced; empty if the file was never checked. */
  readonly written: string;
  /** Also changes with the owner, mode and links. */
  readonly touched: bigint;
  /** Distinguishes two texts of the same length that were written within one tick of the file system's clock. */
  readonly content: string | undefined;
}

const NOT_READ: State = { written: '', touched: 0n, content: undefined };

/** Nanoseconds of one tick of the coarsest file system clock. */
const CLOCK_TICK_NS = 2_000_000_000n;

/** Bytes of a file above which its content is not compared. */
const MAX_COMPARED_BYTES = 4_000_000n;

/** The files at the last check, so that events only need to name a place to check. */
export class Snapshot {
  readonly #states = new Map<string, State>();

  get size(): number {
    return this.#states.size;
  }

  has(file: string): boolean {
    return this.#states.has(file);
  }

  /** Record the current state of `file`. Of irrelevant files, only the name is recorded. */
  record(file: string, matters: boolean): void {
    const stats = matters ? fileStats(file) : undefined;
    if (stats) this.#states.set(file, stateOf(file, stats, isRecent(stats)));
    else if (!matters) this.#states.set(file, NOT_READ);
  }

  below(directory: string): string[] {
    return [...this.#states.keys()].filter((file) => file.startsWith(directory));
  }

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

  /** The same, and record the current state of `file`. */
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

/** Undefined if the file does not exist, or is a link with no target or in a cycle. */
export function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}
