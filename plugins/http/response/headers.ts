import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import { coded } from '../../../kernel/index.js';
import type { HeaderList } from '../io/io.js';

/** Describe one body (RFC 9110 §8, §14.4): removed before another one, or none (§15.4.5), is sent. */
export const ABOUT_BODY: readonly string[] = [
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
];

const ABOUT_SUCCESS: readonly string[] = [
  ...ABOUT_BODY,
  'accept-ranges',
  'content-location',
  'etag',
  'expires',
  'last-modified',
];

/** Say which ranges there are (RFC 9110 §15.5.17): sent for one that cannot be met. */
const ABOUT_RANGES: readonly string[] = ['accept-ranges', 'content-range'];
const ABOUT_SUCCESS_BUT_RANGES = ABOUT_SUCCESS.filter((name) => !ABOUT_RANGES.includes(name));

/** Headers that an error of that status does not inherit from the response that it replaces. */
export const notInherited = (status: number): readonly string[] =>
  status === 416 ? ABOUT_SUCCESS_BUT_RANGES : ABOUT_SUCCESS;

/** Whether a Cache-Control lets an answer be kept without asking again (RFC 9111 §5.2.2): a year that was said of a picture, for the 404 in its place. */
export const mayBeKept = (cacheControl: string): boolean =>
  /\b(?:public|immutable|max-?age="?0*[1-9])/i.test(cacheControl);

/**
 * Makes shared caches not store a response: `private` replaces `public` and `s-maxage` in `Cache-Control` (RFC 9111 §5.2.2.7). Values
 * that already forbid it stay.
 */
export function makePrivate(out: ServerResponse, headers: HeaderList): void {
  const given = headerOf(headers, 'cache-control') ?? out.getHeader('cache-control');
  if (given === undefined) return void headers.push('Cache-Control', 'private');
  const directives = String(given)
    .split(',')
    .map((directive) => directive.trim());
  if (directives.some((directive) => /^(?:private|no-store)$/i.test(directive))) return;
  removeHeader(headers, 'cache-control');
  const kept = directives.filter(
    (directive) => directive !== '' && !/^(?:public$|s-maxage=)/i.test(directive),
  );
  headers.push('Cache-Control', ['private', ...kept].join(', '));
}

/** The name of a header in lower case. Throws TypeError for a name or value that HTTP does not allow (RFC 9110 §5). */
export function checkHeader(name: string, value: string): string {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  const lower = name.toLowerCase();
  // Beside a Content-Length it would let two readers see two messages in one (RFC 9112 §6.1).
  if (lower === 'transfer-encoding')
    throw coded('FWK413', 'Transfer-Encoding is set by the server. Leave it out');
  return lower;
}

export function headerOf(headers: HeaderList, lower: string): string | undefined {
  const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === lower);
  return index === -1 ? undefined : headers[index + 1];
}

export function removeHeader(headers: HeaderList, lower: string): void {
  for (let index = headers.length - 2; index >= 0; index -= 2)
    if (headers[index]?.toLowerCase() === lower) headers.splice(index, 2);
}

/**
 * Have headers that are sent more than once, cookies say, set on Node's own response where others are set there already: by Express
 * around this server, or for `http.requestIds`. `writeHead` would keep the last one of a list alone (Node 20 to 22).
 * Gives the list, which has the others.
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

/** A Content-Length in bytes. Throws TypeError for a value that is not a length. */
export function lengthOf(value: string | number): number {
  const length = Number(value);
  if (!Number.isSafeInteger(length) || length < 0)
    throw coded('FWK413', `Content-Length must be a whole number of bytes, not ${value}`);
  return length;
}

/** Short names that `res.type()` takes beside full media types. */
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

/**
 * The coding of `names` that a client wants most, by an Accept-Encoding header (RFC 9110 §12.5.3); of several that it wants
 * alike the first in `names`. None where it wants a body as it is more than any of them.
 */
export function chooseCoding<Name extends string>(
  header: string | undefined,
  names: readonly Name[],
): ChosenCoding<Name> {
  if (header === undefined || header === '') return NONE;
  const weights = new Map(header.toLowerCase().split(',').map(readWeight));
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
  // Acceptable unless it is refused, by its name or with all others.
  const identity = weights.get('identity') ?? (others === 0 ? 0 : undefined);
  if (identity !== undefined && identity > best) return NONE;
  return { name: chosen, isRequired: identity === 0 };
}

const NONE = { name: undefined, isRequired: false };

/** `gzip;q=0.5`. A weight that is not a number counts as 0. */
function readWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (weight === undefined) return [coding, 1];
  return [coding, Number(weight.slice(weight.indexOf('=') + 1)) || 0];
}
