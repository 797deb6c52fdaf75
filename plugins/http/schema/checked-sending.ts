import { coded, isThenable } from '../../../kernel/index.js';
import { checkedBy } from './check-output.js';
import { describeIssues, plainIssues, type StandardSchema } from './standard-schema.js';

/**
 * Return the output of a schema for a value that a route sends; a promise if the schema checks asynchronously. Throws
 * TypeError, or rejects with it, for an invalid value: its message is `refusal` followed by the issues.
 */
export function checkedOutput(schema: StandardSchema, value: unknown, refusal: string): unknown {
  return checkedBy(schema, value, (checked) => {
    if (!checked.issues) return checked.value;
    throw coded('FWK414', `${refusal}: ${describeIssues(plainIssues(checked.issues))}`);
  });
}

type SendChecked = (value: unknown) => Promise<void> | undefined;

/** The most values that may wait before `room` applies back-pressure: their size is unknown until they are checked. */
const MAX_WAITING = 16;

/**
 * Sends the values of one connection in order, however long their checks take. Callers may ignore the returned promise:
 * `onFailure` receives every error of a check or of `pass`, and no rejection is unhandled.
 */
export class CheckedSending {
  /** Resolves when all waiting values have been sent or have failed. */
  #last: Promise<void> | undefined;
  #waiting = 0;

  constructor(private readonly onFailure: (failure: unknown) => void) {}

  /**
   * Call `pass` with the result of `check`, immediately if nothing is waiting. Returns the result of `pass`, which the next
   * value doesn't wait for. Rejects if the check or `pass` fails.
   */
  put(check: () => unknown, pass: SendChecked): Promise<void> | undefined {
    if (this.#last) return this.#queue(new Promise((resolve) => resolve(check())), pass);
    try {
      const checked = check();
      return isThenable(checked) ? this.#queue(Promise.resolve(checked), pass) : pass(checked);
    } catch (failure) {
      this.onFailure(failure);
      return observed(Promise.reject(failure));
    }
  }

  /** Resolves when the waiting values have been sent; undefined if there are few. For producers that respect back-pressure. */
  room(): Promise<void> | undefined {
    return this.#waiting > MAX_WAITING ? this.#last : undefined;
  }

  /** Resolves when no value waits; undefined if none waits now. */
  settled(): Promise<void> | undefined {
    return this.#last?.then(() => this.settled());
  }

  #queue(checked: Promise<unknown>, pass: SendChecked): Promise<void> {
    this.#waiting += 1;
    const passed = Promise.allSettled([checked, this.#last]).then(([outcome]) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      // Wrapped in an object, because the next value would otherwise wait for the promise.
      return { result: pass(outcome.value) };
    });
    const last = passed
      .then(() => {}, this.onFailure)
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
