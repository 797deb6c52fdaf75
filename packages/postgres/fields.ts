import { type Fields, isObject } from 'fwkit/plugin';

// The texts of jsonb have no NUL and no half of a surrogate pair: NUL is written with an escape, the other is what UTF-8 makes of it.

const NUL = '\0';
const ESCAPE = '\x01';
const ESCAPED_NUL = `${ESCAPE}0`;
const ESCAPED_ESCAPE = `${ESCAPE}1`;
const HALF_PAIR = /\p{Surrogate}/gu;

/** Fields, as JSON that PostgreSQL takes. */
export const textOf = (fields: Fields): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [storable(name), storable(value)])),
  );

/** Fields, of JSON that it gives. */
export function fieldsOf(text: unknown): Fields {
  const stored: unknown = JSON.parse(String(text));
  if (!isObject(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [original(name), original(String(value))]),
  );
}

function storable(text: string): string {
  const whole = text.replace(HALF_PAIR, '\ufffd');
  if (!whole.includes(NUL) && !whole.includes(ESCAPE)) return whole;
  return whole.replaceAll(ESCAPE, ESCAPED_ESCAPE).replaceAll(NUL, ESCAPED_NUL);
}

function original(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPED_NUL, NUL).replaceAll(ESCAPED_ESCAPE, ESCAPE);
}
