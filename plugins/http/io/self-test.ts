import { Deferred } from '../../../kernel/index.js';

/** Versions of Node on which all that relies on it is tested. */
const TESTED_MAJORS = [20, 22, 24, 26];

/**
 * Whether Node does as is expected of it where nothing is documented. Not known, and so denied, until it was tried; that
 * begins when it is first asked, and not before what asks is done: a first answer does not wait for it.
 */
export class SelfTest {
  #passed = false;
  #isBegun = false;
  readonly #settled = new Deferred<boolean>();
  readonly #attempt: () => boolean | Promise<boolean>;
  #spared: number;

  /**
   * `attempt` returns whether all was as expected; an error that it throws means that it was not. Being asked begins nothing
   * for the first `spared` times: where that comes before there is an answer.
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
