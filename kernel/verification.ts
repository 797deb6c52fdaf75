import { setImmediate, setTimeout } from 'node:timers/promises';
import { Deferred } from './deferred.js';

/** Milliseconds in which another change may come: an edit that follows at once makes checking this one pointless. */
const DEBOUNCE_MS = 100;

/** Milliseconds of checking after which requests have their turn. */
const MAX_BLOCKING_MS = 5;

/** What was believed of a file does not hold: the version has to be made without believing anything. */
export class StaleMetadata extends Error {}

/**
 * The time in which a version answers already, while it is checked what was believed of files that did not change,
 * though something that they import has.
 */
export class Verification {
  readonly #checks: (() => Promise<boolean>)[] = [];
  readonly #hurried = new Deferred();
  readonly #ended = new Deferred();
  readonly #cut = new Deferred();
  #isOver = false;
  /** Whether anybody has been answered by it: a transport sets it. What has been seen is not taken back unless it is wrong. */
  hasAnswered = false;
  /** Whether it is over though not everything was checked: what is still wrong is told by who needs it. */
  isCutShort = false;
  /** Check now. */
  readonly startNow = this.#hurried.resolve;
  /** Resolves when it is known which version serves. */
  readonly settled = this.#ended.promise;

  /** Have `holds` tell whether what was believed of a file is still so. What is wrong with the file it reports. */
  add(holds: () => Promise<boolean>): void {
    this.#checks.push(holds);
  }

  /** Check everything, unless the trial ends before. Rejects with Disbelieved. */
  async run(): Promise<void> {
    if (this.#checks.length > 0) await Promise.race([this.#check(), this.#cut.promise]);
  }

  /** Check nothing more: the version serves from now on, unless something wrong has been found. */
  cutShort(): void {
    this.isCutShort = true;
    this.#cut.resolve();
  }

  end(): void {
    this.#isOver = true;
    this.#ended.resolve();
  }

  async #check(): Promise<void> {
    await Promise.race([setTimeout(DEBOUNCE_MS, undefined, { ref: false }), this.#hurried.promise]);
    let turn = performance.now();
    for (const holds of this.#checks) {
      if (this.#isOver || this.isCutShort) return;
      if (!(await holds())) throw new StaleMetadata();
      if (performance.now() - turn < MAX_BLOCKING_MS) continue;
      await setImmediate();
      turn = performance.now();
    }
  }
}
