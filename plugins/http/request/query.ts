import { parse } from 'node:querystring';

/** The first value of every key of a query string (without `?`), in an object without a prototype. */
export function parseQuery(search: string): Readonly<Record<string, string | undefined>> {
  const query: Record<string, string> = Object.create(null);
  // Most queries need no decoding, and reading those by hand takes a third of the time.
  if (search.includes('%') || search.includes('+')) {
    const parsed = parse(search, '&', '=', WITHOUT_KEY_LIMIT);
    for (const key in parsed) set(query, key, [parsed[key]].flat()[0] ?? '');
  } else readPairs(search, query, set);
  return query;
}

/** The same with every value: a key that is repeated is a list. */
export function parseLists(search: string): Readonly<Record<string, string | readonly string[]>> {
  if (search.includes('%') || search.includes('+')) return parseForm(search);
  const query: Record<string, string | string[]> = Object.create(null);
  readPairs(search, query, append);
  return query;
}

function readPairs<Query>(
  search: string,
  query: Query,
  put: (query: Query, key: string, value: string) => void,
): void {
  for (let start = 0; start < search.length; ) {
    const ampersand = search.indexOf('&', start);
    const end = ampersand === -1 ? search.length : ampersand;
    const equals = search.indexOf('=', start);
    const split = equals === -1 || equals > end ? end : equals;
    if (end > start) put(query, search.slice(start, split), search.slice(split + 1, end));
    start = end + 1;
  }
}

function set(query: Record<string, string>, key: string, value: string): void {
  if (key !== '__proto__' && query[key] === undefined) query[key] = value;
}

function append(query: Record<string, string | string[]>, key: string, value: string): void {
  const earlier = query[key];
  if (key === '__proto__') return;
  if (earlier === undefined) query[key] = value;
  else if (typeof earlier === 'string') query[key] = [earlier, value];
  else earlier.push(value);
}

/** A form body (WHATWG URL §5.1): a key that is repeated has all its values, in order. */
export function parseForm(body: string): Readonly<Record<string, string | string[]>> {
  // Left in, `__proto__` would become the prototype of whatever a handler merges the form into.
  const { __proto__, ...form } = parse(body, '&', '=', WITHOUT_KEY_LIMIT);
  return Object.assign(Object.create(null), form);
}

/** Node's parser drops all keys past the thousandth, unseen; the size limits of URL and body hold here anyway. */
const WITHOUT_KEY_LIMIT = { maxKeys: 0 };
