import type { Fields } from '../../kernel/index.js';
import { storableText } from '../context/index.js';

/** A session value that was read during a request. */
export interface ReadValue {
  readonly value: unknown;
  /** Its JSON when it was read or last stored: a value that differs was changed. Undefined: nothing is stored. */
  text: string | undefined;
}

/** The JSON of the values that differ from what is stored, by key of `ctx`; undefined where none does. From now on they count as stored. */
export function takeWritten(values: ReadonlyMap<string, ReadValue>): Fields | undefined {
  let written: Record<string, string> | undefined;
  for (const [key, read] of values) {
    const text = storableText(read.value, `ctx.${key}`);
    if (text === read.text) continue;
    read.text = text;
    written ??= {};
    written[key] = text;
  }
  return written;
}

/** What is said of values that were written when it was too late to begin a session. */
export const lostWrite = (written: Fields): string =>
  `wrote ${Object.keys(written)
    .map((key) => `ctx.${key}`)
    .join(', ')} after its response: that is lost, because no cookie can be set any more`;
