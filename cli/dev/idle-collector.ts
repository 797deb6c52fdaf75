import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds without an edit after which a person looks at what the last one did, or thinks. */
const IDLE_MS = 100;

/** How much more there may be than after the last collection of everything: V8 would let it grow to several times as much. */
const MAX_GROWTH = 1.25;

/** What `--expose-gc` gives. */
type Collect = (options: { readonly type: 'minor' | 'major' }) => void;

/**
 * Collects garbage between edits. Each edit makes megabytes of it, for which V8 would make room when there is none left: in the
 * middle of the next one, which would take a fourth longer.
 */
export class IdleCollector {
  /** Undefined where the flags of V8 are fixed. */
  readonly #collect: Collect | undefined;
  /** Bytes in use after the last collection of everything. */
  #kept = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    setFlagsFromString('--expose-gc');
    this.#collect = runInNewContext('globalThis.gc');
    setFlagsFromString('--no-expose-gc');
  }

  /** An edit has begun, or the end. */
  postpone(): void {
    clearTimeout(this.#timer);
  }

  /** What an edit led to is done. */
  begin(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), IDLE_MS).unref();
  }

  #run(): void {
    this.#collect?.({ type: 'minor' });
    if (used() < this.#kept * MAX_GROWTH) return;
    this.#collect?.({ type: 'major' });
    this.#kept = used();
  }
}

const used = (): number => getHeapStatistics().used_heap_size;
