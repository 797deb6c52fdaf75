/** The time for which a job is this process's. The clock is the monotonic one: what sets the other says nothing of it. */
export class Lease {
  readonly #controller = new AbortController();
  readonly #duration: number;
  #timer: NodeJS.Timeout | undefined;
  #isCut = false;

  /** `duration` in milliseconds. `since`: from before it was asked for, by `performance.now()`. */
  constructor(duration: number, since: number) {
    this.#duration = duration;
    this.renew(since);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it ended because the process does. */
  get isCut(): boolean {
    return this.#isCut;
  }

  renew(since: number): void {
    clearTimeout(this.#timer);
    if (this.signal.aborted) return;
    const left = Math.max(0, since + this.#duration - performance.now());
    this.#timer = setTimeout(() => this.lose(), left).unref();
  }

  /** The job may be another process's from now on. */
  lose(): void {
    clearTimeout(this.#timer);
    this.#controller.abort(
      new Error(`The job may be done by another process now: this one could not renew its lease in time`),
    );
  }

  /** The process ends, and others are to do the job. */
  cut(): void {
    if (this.signal.aborted) return;
    this.#isCut = true;
    clearTimeout(this.#timer);
    this.#controller.abort(new Error('The process ends: another one does the job again'));
  }

  /** The job is done. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
