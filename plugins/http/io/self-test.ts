import { setImmediate } from 'node:timers';
import { Deferred } from '../../../kernel/index.js';

/** Versions of Node on which all that relies on it is tested. */
const TESTED_MAJORS = [20, 22, 24, 26];

/**
 * Tests whether this Node behaves as expected where nothing is documented. `check` starts the test, which runs after the caller is
 * done: no response waits for it, and until it has passed, callers take the documented way.
 */
export class SelfTest {
  #passed = false;
  #isBegun = false;
  readonly #settled = new Deferred<boolean>();
  readonly #attempt: () => boolean | Promise<boolean>;
  #skipFirst: number;

  /**
   * `attempt` returns whether all was as expected; an error that it throws means that it was not. The first `skipFirst` calls of
   * `check` do not start it: where `check` is called before a request is answered, the test would delay the first response.
   */
  constructor(attempt: () => boolean | Promise<boolean>, skipFirst = 0) {
    this.#attempt = attempt;
    this.#skipFirst = skipFirst;
  }

  check(): boolean {
    if (!this.#isBegun && this.#skipFirst-- <= 0) void this.run();
    return this.#passed;
  }

  get settled(): Promise<boolean> {
    return this.#settled.promise;
  }

  async run(): Promise<boolean> {
    if (this.#isBegun) return this.settled;
    this.#isBegun = true;
    await new Promise(setImmediate);
    try {
      const major = Number.parseInt(process.versions.node, 10);
      this.#passed = TESTED_MAJORS.includes(major) && (await this.#attempt());
    } catch {
      this.#passed = false;
    }
    this.#settled.resolve(this.#passed);
    return this.#passed;
  }
}
