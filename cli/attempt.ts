/** The making of one generation, which is given up when what it is made of changes. */
export class Attempt {
  isGivenUp = false;
  /** Requests are answered by it already, on trial. */
  isAnswering = false;
  giveUp = (): void => {};
  readonly givenUp = new Promise<void>((resolve) => {
    this.giveUp = () => {
      this.isGivenUp = true;
      resolve();
    };
  });

  /** Throws when it has been given up. */
  check(): void {
    if (this.isGivenUp) throw new Error('given up: what it is made of has changed');
  }
}
