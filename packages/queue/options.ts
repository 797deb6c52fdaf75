import {
  coded,
  isObject,
  mistakesInOptions,
  type OptionInput,
  type OptionShape,
  type OptionValues,
  option,
} from 'fwkit/plugin';

/** A connection of PostgreSQL within a transaction: a client of `pg`, or a function that runs a statement with numbered parameters. */
export type Transaction =
  | { query(text: string, values: unknown[]): Promise<unknown> }
  | ((text: string, values: readonly unknown[]) => Promise<unknown>);

const LAST_PRIORITY = 2_097_152;

export const isWholeFrom1 = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 1;

export const JOB_OPTIONS = {
  /** A known id is not added again: while the job waits or runs, for an hour after it, and for 14 days if it has failed. */
  id: option.optional<string>('a non-empty string', (value) => typeof value === 'string' && value !== ''),
  /** The earliest start of the job, in milliseconds from now. */
  delay: option.integer(0, { unit: 'milliseconds' }),
  /** The maximum number of attempts if the job throws. Default: the `attempts` of the queue. */
  attempts: option.optional<number>('a whole number of attempts, at least 1', isWholeFrom1),
  /** From 1 (first) to 2,097,152 (last). Jobs without a priority run before jobs with one. */
  priority: option.optional<number>(
    `a whole number from 1 (first) to ${LAST_PRIORITY} (last)`,
    (value) => isWholeFrom1(value) && value <= LAST_PRIORITY,
  ),
  /** Adds the job although a failed or completed job with the same id is known. */
  again: option.boolean(false),
};

export const MANY_OPTIONS = {
  /** Adds the job if and only if this transaction of PostgreSQL commits. Needs `queues({ outbox })`. */
  transaction: option.optional<Transaction>(
    'a client of pg, or a function (text, values) that runs a statement',
    (value) => typeof value === 'function' || isObject(value),
  ),
};

/** A job of `addMany`. */
export const MANY_JOB = { ...JOB_OPTIONS, data: option.optional<unknown>('JSON', () => true) };

export const ADD_OPTIONS = { ...JOB_OPTIONS, ...MANY_OPTIONS };

/** The options of `add`. */
export interface AddOptions extends OptionInput<typeof ADD_OPTIONS> {}

/** Check an options object and fill in the defaults. Throws TypeError; `call` is the function call that the message names. */
export function checkOptions<Shape extends OptionShape>(
  call: string,
  given: object,
  shape: Shape,
): OptionValues<Shape> {
  const [mistake] = mistakesInOptions(given, shape);
  if (mistake !== undefined) throw coded('FWK833', `The options object of ${call} ${mistake}.`);
  // Object.fromEntries() would create an object that is slow to read, for each added job.
  const values: Record<string, unknown> = {};
  for (const [key, { fallback }] of Object.entries(shape)) values[key] = Reflect.get(given, key) ?? fallback;
  return values as OptionValues<Shape>;
}
