import { setImmediate } from 'node:timers';
import { Deferred } from '../../../kernel/index.js';

/** Versions of Node on which the undocumented behavior is tested. */
const TESTED_MAJORS = [20, 22, 24, 26];

/**
 * Tests whether this version of Node has the undocumented behavior that fwk relies on. `check` starts the test, which runs
 * after the caller is done, so no response waits for it. Until it has passed, callers use the documented APIs.
 */
export class SelfTest {
  #passed = false;
  #isBegun = false;
  readonly #settled = new Deferred<boolean>();
  readonly #attempt: () => boolean | Promise<boolean>;
  #skipFirst: number;

  /**
   * `attempt` returns whether the behavior is as expected; an error counts as false. The first `skipFirst` calls of `check`
   * don't start the test: if `check` is called before the response, the test would delay the first response.
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
