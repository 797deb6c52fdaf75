import { type Logger, logSafely, type ProjectLogger, scopeLogger } from '../../kernel/index.js';
import type { HttpRequest } from '../http/index.js';
import { Dependencies } from './dependencies.js';
import { type Observed, observe } from './observed-promise.js';
import { Guest, sessionOf } from './session.js';
import { settledWithin } from './settled-within.js';
import type { Source } from './singleton-instance.js';

/** The request or guest that a scope serves, if any. */
export type Origin = HttpRequest | Guest | undefined;

/** A promise that a factory gave. */
interface Promised {
  readonly file: string;
  readonly observed: Observed;
}

/** How long the end of scopes waits for users' code that is not done yet, in milliseconds. */
export const END_TIMEOUT_MS = 10_000;

/** The values of one scope, from its beginning to its end. */
export class RequestState {
  readonly req: HttpRequest | undefined;
  readonly values = new Map<string, unknown>();
  readonly reads = new Dependencies();
  hasEnded = false;
  readonly #project: ProjectLogger;
  #logger: Logger | undefined;
  readonly #closers: { readonly file: string; readonly close: () => unknown }[] = [];
  #promised: Promised[] | undefined;
  /** Nothing waits any more for what is registered for the end, or fails. */
  #isOver = false;

  constructor(
    readonly origin: Origin,
    logger: ProjectLogger,
  ) {
    this.req = origin instanceof Guest ? undefined : origin;
    this.#project = logger;
  }

  /** The logger of what the scope serves. */
  get logger(): Logger {
    this.#logger ??= scopeLogger(this.#project.current, this.origin);
    return this.#logger;
  }

  onDestroy(file: string, close: () => unknown): void {
    // Registered by code that still ran after the end: what it opened must be closed nevertheless.
    if (this.#isOver) void this.#close(file, close);
    else this.#closers.push({ file, close });
  }

  /** The value of a factory in the form that is handed out: a promise that rejects must not end the process. */
  made({ file }: Source, value: unknown): unknown {
    const observed = observe(value, () => {
      if (this.#isOver && observed) this.#logUnhandled(file, observed);
    });
    if (observed === undefined) return value;
    this.#promised ??= [];
    this.#promised.push({ file, observed });
    return observed.promise;
  }

  /** End what was made, last made first. Never rejects. A promise only where something has to be done. */
  end(): Promise<void> | undefined {
    if (this.hasEnded) return undefined;
    this.hasEnded = true;
    const pending = this.#promised?.filter(({ observed }) => observed.isPending()) ?? [];
    const isAtRest = pending.length === 0 && this.#closers.length === 0;
    if (!isAtRest || sessionOf(this.origin) !== undefined) return this.#end(pending);
    this.#finish();
    return undefined;
  }

  async #end(pending: readonly Promised[]): Promise<void> {
    // Values that are still being made may register their end, and may need until then what ends after them.
    if (pending.length > 0)
      await settledWithin(Promise.all(pending.map(({ observed }) => observed.settled)), END_TIMEOUT_MS);
    for (let last = this.#closers.pop(); last; last = this.#closers.pop())
      await this.#close(last.file, last.close);
    try {
      await sessionOf(this.origin)?.close();
    } catch (thrown) {
      logSafely(this.logger, 'error', `${this.#served} could not keep its session`, thrown);
    }
    this.#finish();
  }

  #finish(): void {
    this.#isOver = true;
    for (const { file, close } of this.#closers.splice(0)) void this.#close(file, close);
    for (const { file, observed } of this.#promised ?? []) this.#logUnhandled(file, observed);
  }

  async #close(file: string, close: () => unknown): Promise<void> {
    try {
      await close();
    } catch (thrown) {
      logSafely(this.logger, 'error', `onDestroy of ${file} failed`, thrown);
    }
  }

  #logUnhandled(file: string, observed: Observed): void {
    const unhandled = observed.unhandled();
    if (unhandled === undefined) return;
    const message = `${file} failed for ${this.#served}, and nothing awaited it`;
    logSafely(this.logger, 'error', message, unhandled.thrown);
  }

  /** The name of what the scope serves, for people. */
  get #served(): string {
    if (this.origin instanceof Guest) return this.origin.name;
    return this.req ? `${this.req.method} ${this.req.path}` : 'a scope without a request';
  }
}
