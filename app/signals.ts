import { once } from 'node:events';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * SIGINT and SIGTERM, from when it is made. Until `stopped` is asked for, while there is nothing to finish, they end the
 * process at once, with 128 plus their number, as runtimes report it. That is what the system does by itself, but not to
 * process 1, as which containers start a program: there, a signal that nobody listens for is lost.
 */
export class Signals {
  readonly #end = (_name: string, number: number): never => process.exit(128 + number);

  constructor() {
    for (const signal of STOP_SIGNALS) process.on(signal, this.#end);
  }

  /** Leave them to others. */
  release(): void {
    for (const signal of STOP_SIGNALS) process.off(signal, this.#end);
  }

  /**
   * Resolves at the first of them, or of `more`, with the status of a process that it ends. A second SIGINT or SIGTERM
   * does not wait for what is being finished.
   */
  async stopped(...more: readonly NodeJS.Signals[]): Promise<number> {
    const asked = Promise.race([...STOP_SIGNALS, ...more].map((signal) => once(process, signal)));
    // A terminal that is closed may say so twice, itself and by its runtime.
    for (const signal of more) process.on(signal, () => {});
    this.release();
    const [, number] = await asked;
    for (const signal of STOP_SIGNALS) process.on(signal, this.#end);
    return 128 + Number(number);
  }
}
