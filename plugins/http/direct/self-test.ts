/**
 * Whether Node does as is expected of it where nothing is documented. Not known, and so denied, until it was tried; that
 * begins when it is first asked, and not before what asks is done: a first answer does not wait for it.
 */
export class SelfTest {
  #passed = false;
  #over: Promise<boolean> | undefined;
  readonly #attempt: () => boolean | Promise<boolean>;

  /** `attempt` returns whether all was as expected; what it throws means that it was not. */
  constructor(attempt: () => boolean | Promise<boolean>) {
    this.#attempt = attempt;
  }

  get passed(): boolean {
    if (this.#over === undefined) void this.over();
    return this.#passed;
  }

  /** Resolves with whether it was passed. */
  over(): Promise<boolean> {
    this.#over ??= new Promise(setImmediate)
      .then(() => this.#attempt())
      .then(
        (passed) => (this.#passed = passed),
        () => false,
      );
    return this.#over;
  }
}
