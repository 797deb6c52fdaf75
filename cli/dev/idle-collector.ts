import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds without an edit after which a person looks at what the last one did, or thinks. */
const IDLE_MS = 50;

/** What `--expose-gc` gives. */
type Collect = (options: { readonly type: 'minor' }) => void;

/**
 * Collects the young garbage between edits. Each edit makes megabytes of it, for which V8 would make room when there is none left: in
 * the middle of the next one, which would take a fourth longer. What is old is left to V8: after a collection of everything it
 * has to find out anew how the objects look that an edit handles, and the next one takes twice as long.
 */
export class IdleCollector {
  /** Undefined where the flags of V8 are fixed. */
  readonly #collect: Collect | undefined;
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
    this.#timer = setTimeout(() => this.#collect?.({ type: 'minor' }), IDLE_MS).unref();
  }
}
