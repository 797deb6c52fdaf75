import { Deferred } from '../../../kernel/index.js';

/** Versions of Node on which all that relies on it is tested. */
const TESTED_MAJORS = [20, 22, 24, 26];

/**
 * Whether this Node behaves as expected where nothing is documented. False until the test has run. It starts when `passed` is
 * first read, and not before the caller is done: a first response does not wait for it.
 */
export class SelfTest {
  #passed = false;
  #isBegun = false;
  readonly #settled = new Deferred<boolean>();
  readonly #attempt: () => boolean | Promise<boolean>;
  #spared: number;

  /**
   * `attempt` returns whether all was as expected; an error that it throws means that it was not. Reading `passed` starts
   * nothing the first `spared` times: where that happens before the response.
   */
  constructor(attempt: () => boolean | Promise<boolean>, spared = 0) {
    this.#attempt = attempt;
    this.#spared = spared;
  }

  get passed(): boolean {
    if (!this.#isBegun && this.#spared-- <= 0) void this.run();
    return this.#passed;
  }

  /** Resolves with whether it was passed, once it has run. */
  get settled(): Promise<boolean> {
    return this.#settled.promise;
  }

  /** Run it, once. Resolves with whether it was passed. */
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
