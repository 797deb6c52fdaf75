import { parse } from 'node:querystring';

/** The first value of every key of a query string (without `?`), in an object without a prototype. */
export function parseQuery(search: string): Readonly<Record<string, string>> {
  const query = parse(search, '&', '=', UNLIMITED);
  Reflect.deleteProperty(query, '__proto__');
  for (const key in query) {
    const value = query[key];
    if (typeof value !== 'string') query[key] = value?.[0];
  }
  return query as Record<string, string>;
}

/** A form body (WHATWG URL §5.1): a key that is repeated has all its values, in order. */
export function parseForm(body: string): Readonly<Record<string, string | string[]>> {
  // Left in, `__proto__` would become the prototype of whatever a handler merges the form into.
  const { __proto__, ...form } = parse(body, '&', '=', UNLIMITED);
  return Object.assign(Object.create(null), form);
}

/** Node's parser drops all keys past the thousandth, unseen; the size limits of URL and body hold here anyway. */
const UNLIMITED = { maxKeys: 0 };
