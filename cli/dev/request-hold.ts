import { type Shell, Signal } from '../../kernel/host.js';

/** Milliseconds for which requests wait for a new generation. One that takes longer is served when it is there. */
const PATIENCE = 2_000;

/** Lets requests wait from the first sign of a change until what came of it is served. */
export class Gate {
  readonly #shell: Shell;
  readonly #late: () => void;
  #opened: Signal | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    shell: Shell,
    /** Called when requests have waited long enough, and are answered by what is there. */
    late: () => void,
  ) {
    this.#shell = shell;
    this.#late = late;
  }

  get isClosed(): boolean {
    return this.#opened !== undefined;
  }

  close(): void {
    if (this.isClosed) return;
    this.#opened = new Signal();
    this.#shell.reloading = this.#opened.given;
    this.#timer = setTimeout(() => {
      this.open();
      this.#late();
    }, PATIENCE);
  }

  open(): void {
    clearTimeout(this.#timer);
    this.#shell.reloading = undefined;
    this.#opened?.give();
    this.#opened = undefined;
  }
}
