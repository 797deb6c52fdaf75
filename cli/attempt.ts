import { Signal } from '../kernel/host.js';

/** The making of one generation, which is given up when what it is made of changes. */
export class Attempt {
  readonly #end = new Signal();
  isGivenUp = false;
  readonly givenUp = this.#end.given;
  /** Requests are answered by it already, on trial. */
  isAnswering = false;

  giveUp(): void {
    this.isGivenUp = true;
    this.#end.give();
  }

  /** Throws when it has been given up. */
  check(): void {
    if (this.isGivenUp) throw new Error('given up: what it is made of has changed');
  }
}
