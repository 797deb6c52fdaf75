/**
 * Whether Node does as is expected of it where nothing is documented. Not known, and so denied, until it was tried; that
 * begins when it is first asked, and not before what asks is done: a first answer does not wait for it.
 */
export class SelfTest {
  #passed = false;
  #over: Promise<boolean> | undefined;
  readonly #attempt: () => boolean | Promise<boolean>;
  readonly #first: SelfTest | undefined;

  /**
   * `attempt` returns whether all was as expected; what it throws means that it was not. Being asked begins nothing
   * until `first` has begun: for what is asked before there is an answer.
   */
  constructor(attempt: () => boolean | Promise<boolean>, first?: SelfTest) {
    this.#attempt = attempt;
    this.#first = first;
  }

  get passed(): boolean {
    if (this.#over === undefined && this.#first?.hasBegun !== false) void this.over();
    return this.#passed;
  }

  get hasBegun(): boolean {
    return this.#over !== undefined;
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
