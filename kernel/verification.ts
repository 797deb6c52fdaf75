import { setImmediate, setTimeout } from 'node:timers/promises';
import { Deferred } from './deferred.js';

/** Milliseconds in which another change may come: an edit that follows at once makes checking this one pointless. */
const DEBOUNCE_MS = 100;

/** Milliseconds of checking after which requests have their turn. */
const MAX_BLOCKING_MS = 5;

/** Metadata kept from the version before is no longer true: the version has to be made without any. */
export class StaleMetadata extends Error {}

/**
 * Verifies the metadata that a version keeps of files that did not change, though something that they import did.
 * The version answers already meanwhile.
 */
export class Verification {
  readonly #checks: (() => Promise<boolean>)[] = [];
  readonly #hurried = new Deferred();
  readonly #ended = new Deferred();
  readonly #cut = new Deferred();
  #isOver = false;
  /** Whether a client was answered meanwhile: a transport sets it. What was seen is rolled back only if it is wrong. */
  hasAnswered = false;
  /** Whether it ended before everything was checked: what is still wrong then is reported by the request that meets it. */
  isCutShort = false;
  /** Check now. */
  readonly startNow = this.#hurried.resolve;
  /** Resolves when it is known which version serves. */
  readonly settled = this.#ended.promise;

  /** Add a check, which resolves with whether the metadata of a file is still true, and itself reports what is wrong with the file. */
  add(check: () => Promise<boolean>): void {
    this.#checks.push(check);
  }

  /** Check everything, unless it ends before. Rejects with StaleMetadata. */
  async run(): Promise<void> {
    if (this.#checks.length > 0) await Promise.race([this.#check(), this.#cut.promise]);
  }

  /** Check nothing more: the version serves from now on, unless something wrong has been found. */
  cutShort(): void {
    this.isCutShort = true;
    this.#cut.resolve();
  }

  /** It is known which version serves: what is not checked by now never is. */
  end(): void {
    this.#isOver = true;
    this.#ended.resolve();
  }

  async #check(): Promise<void> {
    await Promise.race([setTimeout(DEBOUNCE_MS, undefined, { ref: false }), this.#hurried.promise]);
    let began = performance.now();
    for (const check of this.#checks) {
      if (this.#isOver || this.isCutShort) return;
      if (!(await check())) throw new StaleMetadata();
      if (performance.now() - began < MAX_BLOCKING_MS) continue;
      await setImmediate();
      began = performance.now();
    }
  }
}
