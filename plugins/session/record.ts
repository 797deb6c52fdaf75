import { type Clock, type Fields, isObject, type Kept } from '../../kernel/index.js';

/** What a store of the project keeps of a session, as JSON. */
interface SessionRecord {
  /** When it expires, in milliseconds since the epoch. */
  readonly until: number;
  /** JSON by key of `ctx`, each parsed only when it is read. */
  readonly values: Fields;
}

/** `maxAge` in seconds. */
export const recordText = (values: Fields, maxAge: number, clock: Clock): string =>
  JSON.stringify({ until: clock.date() + maxAge * 1000, values } satisfies SessionRecord);

/** Read the text of `recordText`; undefined for an expired record and for any other text. */
export function readRecord(text: string | null | undefined, clock: Clock): Kept | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const { until, values }: Partial<Record<keyof SessionRecord, unknown>> = JSON.parse(text);
    if (typeof until !== 'number') return undefined;
    const left = (until - clock.date()) / 1000;
    return left > 0 && isFields(values) ? { fields: values, left } : undefined;
  } catch {
    return undefined;
  }
}

const isFields = (values: unknown): values is Fields =>
  isObject(values) && Object.values(values).every((text) => typeof text === 'string');
