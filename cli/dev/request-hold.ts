import { Deferred, type Runtime } from '../../kernel/internal.js';

/** Milliseconds for which requests wait for a new version. One that takes longer is served when it is there. */
const MAX_HOLD_MS = 2_000;

/** Lets requests wait from the first sign of a change until what came of it is served. */
export class RequestHold {
  readonly #runtime: Runtime;
  readonly #late: () => void;
  #opened: Deferred | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    runtime: Runtime,
    /** Called when requests have waited long enough, and are answered by what is there. */
    late: () => void,
  ) {
    this.#runtime = runtime;
    this.#late = late;
  }

  get isClosed(): boolean {
    return this.#opened !== undefined;
  }

  close(): void {
    if (this.isClosed) return;
    this.#opened = new Deferred();
    this.#runtime.reloading = this.#opened.promise;
    this.#timer = setTimeout(() => {
      this.open();
      this.#late();
    }, MAX_HOLD_MS);
  }

  open(): void {
    clearTimeout(this.#timer);
    this.#runtime.reloading = undefined;
    this.#opened?.resolve();
    this.#opened = undefined;
  }
}
