import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import { coded } from '../../../kernel/index.js';
import type { HeaderList } from '../io/io.js';
import { readWeight } from '../request/accept.js';

/** Headers that describe a body (RFC 9110 §8, §14.4). They are removed if another body, or none (§15.4.5), is sent. */
export const ABOUT_BODY: readonly string[] = [
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
];

/** Without the language and the location of the content, which a middleware may set for all responses. */
const ABOUT_SUCCESS: readonly string[] = [
  ...ABOUT_BODY.filter((name) => name !== 'content-language'),
  'accept-ranges',
  'etag',
  'expires',
  'last-modified',
];

/** Headers that describe ranges (RFC 9110 §15.5.17). They are kept for a range that can't be satisfied. */
const ABOUT_RANGES: readonly string[] = ['accept-ranges', 'content-range'];
const ABOUT_SUCCESS_BUT_RANGES = ABOUT_SUCCESS.filter((name) => !ABOUT_RANGES.includes(name));

/** Headers that an error with that status doesn't inherit from the response that it replaces. */
export const notInherited = (status: number): readonly string[] =>
  status === 416 ? ABOUT_SUCCESS_BUT_RANGES : ABOUT_SUCCESS;

/**
 * Whether a Cache-Control allows a cache to store a response without revalidation (RFC 9111 §5.2.2), such as a year for a
 * picture, which would then apply to a 404 in its place.
 */
export const mayBeKept = (cacheControl: string): boolean =>
  /\b(?:public|immutable|max-?age="?0*[1-9])/i.test(cacheControl);

/**
 * Prevent shared caches from storing a response: `private` replaces `public` and `s-maxage` in `Cache-Control` (RFC 9111
 * §5.2.2.7). Values that already prevent it are kept.
 */
export function makePrivate(out: ServerResponse, headers: HeaderList): void {
  const given = headerOf(headers, 'cache-control') ?? out.getHeader('cache-control');
  if (given === undefined) return void headers.push('Cache-Control', 'private');
  const directives = String(given)
    .split(',')
    .map((directive) => directive.trim());
  if (directives.some((directive) => /^(?:private|no-store)$/i.test(directive))) return;
  removeHeader(headers, 'cache-control');
  const remaining = directives.filter(
    (directive) => directive !== '' && !/^(?:public$|s-maxage=)/i.test(directive),
  );
  headers.push('Cache-Control', ['private', ...remaining].join(', '));
}

/** Return the name of a header in lower case. Throws TypeError for an invalid name or value (RFC 9110 §5). */
export function checkHeader(name: string, value: string): string {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  const lower = name.toLowerCase();
  // With both Transfer-Encoding and Content-Length, two recipients could see different messages (RFC 9112 §6.1).
  if (lower === 'transfer-encoding')
    throw coded('FWK413', 'Transfer-Encoding is set by the server. Leave it out');
  return lower;
}

export function headerOf(headers: readonly string[], lower: string): string | undefined {
  const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === lower);
  return index === -1 ? undefined : headers[index + 1];
}

export function removeHeader(headers: HeaderList, lower: string): void {
  for (let index = headers.length - 2; index >= 0; index -= 2)
    if (headers[index]?.toLowerCase() === lower) headers.splice(index, 2);
}

/**
 * Move repeated headers, such as cookies, to Node's own response if headers of that name are already set there, by Express
 * around this server or for `http.requestIds`. `writeHead` would keep only the last value of each (Node 20 to 22). Returns
 * the remaining headers.
 */
export function keepRepeated(out: ServerResponse, headers: HeaderList): HeaderList {
  if (headers.length < 4 || out.getHeaderNames().length === 0) return headers;
  const names = headers.flatMap((name, at) => (at % 2 === 0 ? name.toLowerCase() : []));
  for (const name of new Set(names.filter((one, at) => names.indexOf(one) !== at))) {
    const values = headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name);
    out.setHeader(headers.find((one, at) => at % 2 === 0 && one.toLowerCase() === name) ?? name, values);
    removeHeader(headers, name);
  }
  return headers;
}

/** Parse a Content-Length in bytes. Throws TypeError if it isn't a valid length. */
export function lengthOf(value: string | number): number {
  const length = Number(value);
  if (!Number.isSafeInteger(length) || length < 0)
    throw coded('FWK413', `Content-Length must be a whole number of bytes, not ${value}`);
  return length;
}

/** Short names that `res.type()` accepts in addition to full media types. */
export const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  json: 'application/json',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  svg: 'image/svg+xml',
  bytes: 'application/octet-stream',
};

interface ChosenCoding<Name extends string> {
  readonly name: Name | undefined;
  readonly isRequired: boolean;
}

/** The coding in `names` that the client prefers (RFC 9110 §12.5.3), the first on a tie, or none. */
export function chooseCoding<Name extends string>(
  header: string | undefined,
  names: readonly Name[],
): ChosenCoding<Name> {
  if (header === undefined || header === '') return NONE;
  const weights = new Map(header.split(',').map(readWeight));
  const others = weights.get('*');
  let chosen: Name | undefined;
  let best = 0;
  for (const name of names) {
    const weight = weights.get(name) ?? (name === 'gzip' ? weights.get('x-gzip') : undefined) ?? others ?? 0;
    if (weight > best) {
      best = weight;
      chosen = name;
    }
  }
  // An unencoded body is acceptable unless it is excluded, by name or with `*`.
  const identity = weights.get('identity') ?? (others === 0 ? 0 : undefined);
  if (identity !== undefined && identity > best) return NONE;
  return { name: chosen, isRequired: identity === 0 };
}

const NONE = { name: undefined, isRequired: false };
