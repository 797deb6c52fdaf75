import { setImmediate, setTimeout } from 'node:timers/promises';
import { Signal } from './deferred.js';

/** Milliseconds in which another change may come: an edit that follows at once makes checking this one pointless. */
const PAUSE = 100;

/** Milliseconds of checking after which requests have their turn. */
const SLICE = 5;

/** What was believed of a file does not hold: the generation has to be made without believing anything. */
export class Disbelieved extends Error {}

/**
 * The time in which a generation answers already, while it is checked what was believed of files that did not change,
 * though something that they import has.
 */
export class Trial {
  readonly #checks: (() => Promise<boolean>)[] = [];
  readonly #hurried = new Signal();
  readonly #ended = new Signal();
  readonly #cut = new Signal();
  #isOver = false;
  /** Whether anybody has been answered by it: a transport sets it. What has been seen is not taken back unless it is wrong. */
  hasAnswered = false;
  /** Whether it is over though not everything was checked: what is still wrong is told by who needs it. */
  isCutShort = false;
  /** Check now. */
  readonly hurry = this.#hurried.give;
  /** Resolves when it is known which generation serves. */
  readonly over = this.#ended.given;

  /** Have `holds` tell whether what was believed of a file is still so. What is wrong with the file it reports. */
  add(holds: () => Promise<boolean>): void {
    this.#checks.push(holds);
  }

  /** Check everything, unless the trial ends before. Rejects with Disbelieved. */
  async run(): Promise<void> {
    if (this.#checks.length > 0) await Promise.race([this.#check(), this.#cut.given]);
  }

  /** Check nothing more: the generation serves from now on, unless something wrong has been found. */
  cutShort(): void {
    this.isCutShort = true;
    this.#cut.give();
  }

  end(): void {
    this.#isOver = true;
    this.#ended.give();
  }

  async #check(): Promise<void> {
    await Promise.race([setTimeout(PAUSE, undefined, { ref: false }), this.#hurried.given]);
    let turn = performance.now();
    for (const holds of this.#checks) {
      if (this.#isOver || this.isCutShort) return;
      if (!(await holds())) throw new Disbelieved();
      if (performance.now() - turn < SLICE) continue;
      await setImmediate();
      turn = performance.now();
    }
  }
}
