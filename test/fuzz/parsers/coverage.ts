import { type Profiler, Session } from 'node:inspector';

/** Which blocks of code have run, as V8 counts them, of everything but Node and the tests. */
export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** How many blocks have run so far. */
  get size(): number {
    return this.#seen.size;
  }

  /** Records the blocks that ran since the last call and returns the new blocks. */
  note(): readonly string[] {
    const fresh: string[] = [];
    // Called back at once: the session is of this thread.
    this.#session.post('Profiler.takePreciseCoverage', (failure, { result }) => {
      if (failure) throw failure;
      for (const block of blocksOf(result))
        if (!this.#seen.has(block)) {
          this.#seen.add(block);
          fresh.push(block);
        }
    });
    return fresh;
  }

  /** Counts these blocks as new again. */
  forget(blocks: readonly string[]): void {
    for (const block of blocks) this.#seen.delete(block);
  }

  close(): void {
    this.#session.disconnect();
  }
}

function* blocksOf(scripts: readonly Profiler.ScriptCoverage[]): Generator<string> {
  for (const { url, functions } of scripts) {
    if (!url.startsWith('file:') || url.includes('/dist/test/')) continue;
    for (const { ranges } of functions)
      for (const { startOffset, endOffset, count } of ranges)
        if (count > 0) yield `${url}:${startOffset}-${endOffset}`;
  }
}
