import { coded, isObject, type OptionShape, type OptionValues, option } from 'fwkit/plugin';

/** A connection of PostgreSQL within a transaction: a client of `pg`, or a function that runs a statement with numbered parameters. */
export type Transaction =
  | { query(text: string, values: unknown[]): Promise<unknown> }
  | ((text: string, values: readonly unknown[]) => Promise<unknown>);

/** The options of `add`. */
export interface AddOptions {
  /** A known id is not added again: while the job waits or runs, for an hour after it, and for 14 days if it has failed. */
  readonly id?: string;
  /** The earliest start of the job, in milliseconds from now. */
  readonly delay?: number;
  /** The maximum number of attempts if the job throws. Default: the `attempts` of the queue. */
  readonly attempts?: number;
  /** From 1 (first) to 2,097,152 (last). Jobs without a priority run before jobs with one. */
  readonly priority?: number;
  /** Adds the job although a failed or completed job with the same id is known. */
  readonly again?: boolean;
  /** Adds the job if and only if this transaction of PostgreSQL commits. Needs `queues({ outbox })`. */
  readonly transaction?: Transaction;
}

const LAST_PRIORITY = 2_097_152;

export const isWholeFrom1 = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 1;

export const ADD_OPTIONS = {
  id: option.custom<string | undefined>(
    undefined,
    'a non-empty string',
    (value): value is string => typeof value === 'string' && value !== '',
  ),
  delay: option.integer(0, { unit: 'milliseconds' }),
  attempts: option.custom<number | undefined>(
    undefined,
    'a whole number of attempts, at least 1',
    isWholeFrom1,
  ),
  priority: option.custom<number | undefined>(
    undefined,
    `a whole number from 1 (first) to ${LAST_PRIORITY} (last)`,
    (value): value is number => isWholeFrom1(value) && value <= LAST_PRIORITY,
  ),
  again: option.boolean(false),
};

/** The options of `addMany`, and of `add` in addition. */
export const MANY_OPTIONS = {
  transaction: option.custom<Transaction | undefined>(
    undefined,
    'a client of pg, or a function (text, values) that runs a statement',
    (value): value is Transaction => typeof value === 'function' || isObject(value),
  ),
};

/** Check an options object and fill in the defaults. Throws TypeError; `call` is the function call that the message names. */
export function checkOptions<Shape extends OptionShape>(
  call: string,
  given: unknown,
  shape: Shape,
): OptionValues<Shape> {
  if (!isObject(given)) throw coded('FWK833', `The options of ${call} must be an object.`);
  for (const key of Object.keys(given))
    if (!Object.hasOwn(shape, key))
      throw coded(
        'FWK833',
        `${call} has no option "${key}". Its options are ${Object.keys(shape).join(', ')}.`,
      );
  const values = Object.entries(shape).map(([key, { fallback, expected, accepts }]) => {
    const value = given[key];
    if (value === undefined) return [key, fallback];
    if (!accepts(value)) throw coded('FWK833', `${call}: "${key}" must be ${expected}, not ${shown(value)}.`);
    return [key, value];
  });
  return Object.fromEntries(values) as OptionValues<Shape>;
}

const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Array.isArray(value)
      ? 'an array'
      : 'an object of this form'
    : JSON.stringify(value) || String(value);
