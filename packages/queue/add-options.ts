import { option } from 'fwkit/plugin';

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

/** The largest number that a priority can be in BullMQ. */
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
