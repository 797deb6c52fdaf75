import { coded, isThenable } from '../../../kernel/index.js';
import { checkedBy } from './check-output.js';
import { describeIssues, plainIssues, type StandardSchema } from './standard-schema.js';

/**
 * What comes out of a schema for a value that a route sends; a promise of it where the schema checks asynchronously. Throws
 * TypeError, or rejects with it, for a value that does not fit: `refusal` begins its message, the issues end it.
 */
export function checkedOutput(schema: StandardSchema, value: unknown, refusal: string): unknown {
  return checkedBy(schema, value, (checked) => {
    if (!checked.issues) return checked.value;
    throw coded('FWK414', `${refusal}: ${describeIssues(plainIssues(checked.issues))}`);
  });
}

type Pass = (value: unknown) => Promise<void> | undefined;

/** The most values that wait before `room` does, too: of how many bytes they are is not known before they are checked. */
const MAX_WAITING = 16;

/**
 * Passes on what one connection sends, in the order in which it was sent, however long checks take. Senders may ignore the
 * promise that they get: `onFailure` is called with what a check or `pass` threw, and no rejection goes unhandled.
 */
export class CheckedSending {
  readonly #onFailure: (failure: unknown) => void;
  /** Resolves when all that waits has been passed on, or has failed. */
  #last: Promise<void> | undefined;
  #waiting = 0;

  constructor(onFailure: (failure: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /**
   * Call `pass` with what `check` returns or resolves with: at once where nothing waits. Gives what `pass` returns, which the
   * next one does not wait for. Rejects with a failure.
   */
  put(check: () => unknown, pass: Pass): Promise<void> | undefined {
    if (this.#last) return this.#queue(new Promise((resolve) => resolve(check())), pass);
    try {
      const checked = check();
      return isThenable(checked) ? this.#queue(Promise.resolve(checked), pass) : pass(checked);
    } catch (failure) {
      this.#onFailure(failure);
      return observed(Promise.reject(failure));
    }
  }

  /** Resolves when what waits has been passed on; undefined where little does. For those by whom more may be sent. */
  room(): Promise<void> | undefined {
    return this.#waiting > MAX_WAITING ? this.#last : undefined;
  }

  async settled(): Promise<void> {
    while (this.#last) await this.#last;
  }

  #queue(checked: Promise<unknown>, pass: Pass): Promise<void> {
    this.#waiting += 1;
    const passed = Promise.allSettled([checked, this.#last]).then(([outcome]) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      // In an object: otherwise the next one would wait for the promise.
      return { result: pass(outcome.value) };
    });
    const last = passed
      .then(() => {}, this.#onFailure)
      .then(() => {
        this.#waiting -= 1;
        if (this.#last === last) this.#last = undefined;
      });
    this.#last = last;
    return observed(passed.then(({ result }) => result));
  }
}

function observed(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
