/** Versions of Node on which all that relies on it is tested. */
const TESTED_MAJORS = [20, 22, 24, 26];

/**
 * Whether Node does as is expected of it where nothing is documented. Not known, and so denied, until it was tried; that
 * begins when it is first asked, and not before what asks is done: a first answer does not wait for it.
 */
export class SelfTest {
  #passed = false;
  #over: Promise<boolean> | undefined;
  readonly #attempt: () => boolean | Promise<boolean>;
  #spared: number;

  /**
   * `attempt` returns whether all was as expected; what it throws means that it was not. Being asked begins nothing for
   * the first `spared` times: where that comes before there is an answer.
   */
  constructor(attempt: () => boolean | Promise<boolean>, spared = 0) {
    this.#attempt = attempt;
    this.#spared = spared;
  }

  get passed(): boolean {
    if (this.#over === undefined && this.#spared-- <= 0) void this.over();
    return this.#passed;
  }

  /** Resolves with whether it was passed. */
  over(): Promise<boolean> {
    this.#over ??= new Promise(setImmediate)
      .then(() => TESTED_MAJORS.includes(Number.parseInt(process.versions.node, 10)) && this.#attempt())
      .then(
        (passed) => (this.#passed = passed),
        () => false,
      );
    return this.#over;
  }
}
