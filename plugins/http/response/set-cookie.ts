import { type SerializeOptions, serialize } from 'cookie';

/** Options of a cookie: `httpOnly`, `maxAge` in seconds, `sameSite`, `path` … (RFC 6265 §4.1.2). */
export type CookieOptions = SerializeOptions;

/** The text of a `Set-Cookie` header; `Path=/` unless the options say otherwise. Throws TypeError for a name or value that is not one. */
export function setCookieText(name: string, value: string, options: CookieOptions = DEFAULTS): string {
  const { encode, expires } = options;
  const pair = encode ? serialize(name, value, { encode }) : serialize(name, value);
  if (expires !== undefined) return pair + attributesOf(options);
  if (last === undefined || !isSame(last.options, options))
    last = { options: { ...options }, text: attributesOf(options) };
  return pair + last.text;
}

const DEFAULTS: CookieOptions = {};

/** A route sets the same attributes each time: what they look like is known from the last time. */
let last: { readonly options: CookieOptions; readonly text: string } | undefined;

/** By the library, from a cookie without a name's or value's own business: all that follows `n=`. */
function attributesOf({ encode: _, ...options }: CookieOptions): string {
  return serialize('n', '', { ...options, path: options.path ?? '/' }).slice('n='.length);
}

const isSame = (a: CookieOptions, b: CookieOptions): boolean =>
  a.httpOnly === b.httpOnly &&
  a.sameSite === b.sameSite &&
  a.secure === b.secure &&
  a.path === b.path &&
  a.maxAge === b.maxAge &&
  a.domain === b.domain &&
  a.partitioned === b.partitioned &&
  a.priority === b.priority &&
  a.expires === b.expires;
