import { coded, isObject, type OptionShape, type OptionValues, option } from 'fwkit/plugin';

/** What `add` may be told of one job. */
export interface AddOptions {
  /** A job whose id the queue remembers is not added again: while it waits and runs, for an hour after it, for 14 days if it has failed. */
  readonly id?: string;
  /** Milliseconds from now, before which it does not begin. */
  readonly delay?: number;
  /** How often it is tried when it throws. Default: that of the queue. */
  readonly attempts?: number;
  /** From 1, which comes first, to 2,097,152. Jobs that have none come before all that have one. */
  readonly priority?: number;
}

const LAST_PRIORITY = 2_097_152;

const isWholeFrom1 = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1;

export const ADD_OPTIONS = {
  id: option.custom<string | undefined>(
    undefined,
    'a text that is not empty',
    (value): value is string => typeof value === 'string' && value !== '',
  ),
  delay: option.whole(0, { unit: 'milliseconds' }),
  attempts: option.custom<number | undefined>(
    undefined,
    'a whole number of attempts, at least 1',
    isWholeFrom1,
  ),
  priority: option.custom<number | undefined>(
    undefined,
    `a whole number from 1, which comes first, to ${LAST_PRIORITY}`,
    (value): value is number => isWholeFrom1(value) && value <= LAST_PRIORITY,
  ),
};

/** The values of an object of options. Throws a TypeError for what is wrong there; `what`, a call, says where that is. */
export function checkOptions<Shape extends OptionShape>(
  what: string,
  given: unknown,
  shape: Shape,
): OptionValues<Shape> {
  if (!isObject(given)) throw coded('FWK833', `${what} takes its options as an object.`);
  for (const key of Object.keys(given))
    if (!Object.hasOwn(shape, key))
      throw coded('FWK833', `${what} has no option "${key}". There are ${Object.keys(shape).join(', ')}.`);
  const values = Object.entries(shape).map(([key, { fallback, expected, accepts }]) => {
    const value = given[key];
    if (value === undefined) return [key, fallback];
    if (!accepts(value)) throw coded('FWK833', `${what}: "${key}" must be ${expected}, not ${shown(value)}.`);
    return [key, value];
  });
  return Object.fromEntries(values) as OptionValues<Shape>;
}

const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Array.isArray(value)
      ? 'a list'
      : 'an object like this one'
    : JSON.stringify(value) || String(value);
