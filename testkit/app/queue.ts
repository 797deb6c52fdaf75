// Imported, because a test may have replaced the globals.
import { clearTimeout, setTimeout } from 'node:timers';
import { Deferred } from '../../kernel/index.js';
import { explained, testError } from '../test-error.js';

/** Buffers values until they are taken, and then the end or failure. Iterating takes all of them. */
export class Queue<T> {
  readonly #waiting: T[] = [];
  readonly #askers: Deferred<IteratorResult<T, undefined>>[] = [];
  #end: { readonly failure?: unknown } | undefined;

  push(value: T): void {
    const asker = this.#askers.shift();
    if (asker) asker.resolve({ done: false, value });
    else this.#waiting.push(value);
  }

  /** No more values follow: once the buffered values are taken, calls end, or reject with the failure. */
  end(failed?: { readonly failure: unknown }): void {
    if (this.#end) return;
    this.#end = failed ?? {};
    for (const asker of this.#askers.splice(0)) this.#answer(asker);
  }

  /** The next value, or the end. Rejects with FWK903 and `late` if none arrives in time; the value is then left for the next call. */
  next(late: string): Promise<IteratorResult<T, undefined>> {
    const asker = this.#take();
    return within(asker.promise, WAIT_MS, () => {
      const index = this.#askers.indexOf(asker);
      if (index !== -1) this.#askers.splice(index, 1);
      return testError('FWK903', `${late} in ${WAIT_MS / 1_000} s`);
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, undefined> {
    for (;;) {
      const { done, value } = await this.#take().promise;
      if (done) return;
      yield value;
    }
  }

  #take(): Deferred<IteratorResult<T, undefined>> {
    const asker = new Deferred<IteratorResult<T, undefined>>();
    const value = this.#waiting.shift();
    if (value !== undefined) asker.resolve({ done: false, value });
    else if (this.#end) this.#answer(asker);
    else this.#askers.push(asker);
    return asker;
  }

  #answer(asker: Deferred<IteratorResult<T, undefined>>): void {
    if (this.#end && 'failure' in this.#end) asker.resolve(Promise.reject(this.#end.failure));
    else asker.resolve({ done: true, value: undefined });
  }
}

/** How long a test waits for a message or an event, in milliseconds: well below the timeouts of test runners. */
const WAIT_MS = 4_000;

/** The result of `promise`. Rejects with `late()` if it takes longer than `limit` milliseconds. */
export async function within<T>(promise: Promise<T>, limit: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limit);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** The response with which a test app refused the requested socket, events or result. */
export class TestRefusal extends Error {
  override readonly name = 'TestRefusal';
  readonly code = 'FWK905';

  constructor(
    message: string,
    /** Its status code. */
    readonly status: number,
    /** Its headers and its body, which is a text in memory. */
    readonly response: Response,
  ) {
    super(explained('FWK905', message));
  }
}

/** The error for a response to `call`, such as `WS /ws/room`, that is not `expected`. Reads the body. */
export async function refusalOf(response: Response, call: string, expected: string): Promise<TestRefusal> {
  const { status, headers, statusText } = response;
  const text = await response.text();
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  const message = `${call} was answered with ${status} and not with ${expected}${shown === '' ? '' : `: ${shown}`}`;
  const body = status === 204 || status === 205 || status === 304 ? null : text;
  return new TestRefusal(message, status, new Response(body, { status, statusText, headers }));
}

/** Number of characters of a body that an error message shows. */
const MAX_SHOWN = 500;
