import type { IncomingMessage } from 'node:http';
import { option } from '../../kernel/index.js';

/**
 * Whose pages may ask: `'https://shop.example'`, `'https://*.shop.example'` for all names below it, `'http://localhost:*'` for all
 * ports, `'null'` for pages without an origin, a list of these; `'*'` or `true` for all pages; or a function of the origin as
 * a browser sends it, which answers at once.
 */
export type CorsOrigin =
  | true
  | string
  | readonly string[]
  | ((origin: string, raw: IncomingMessage) => boolean);

/** What pages of other origins may ask, and read of an answer (Fetch Standard §3.3, CORS protocol). */
export interface CorsOptions {
  readonly origin?: CorsOrigin;
  /** Whether requests may carry cookies and other credentials, and be answered to a page nevertheless. Default: false. */
  readonly credentials?: boolean;
  /** The methods that may be used. Default: GET, HEAD, PUT, PATCH, POST and DELETE. */
  readonly methods?: readonly string[];
  /** The request headers that may be sent beside those that need no leave. Default: whatever a page asks for. */
  readonly allowedHeaders?: readonly string[];
  /** The response headers that scripts may read beside those that need no leave. Default: none. */
  readonly exposedHeaders?: readonly string[];
  /** Seconds for which a browser need not ask again. Default: 600. */
  readonly maxAge?: number;
}

const isList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
const isListOrAbsent = (value: unknown): value is readonly string[] | undefined =>
  value === undefined || isList(value);

export const corsOptions = {
  /** Whose pages may ask. Default: those of no other origin. */
  origin: option.custom<CorsOrigin | undefined>(
    undefined,
    'an origin such as "https://shop.example", a list of them, "*", true or a function. Not a regular expression: "https://*.shop.example" is all names below it',
    (value): value is CorsOrigin | undefined =>
      value === undefined ||
      value === true ||
      typeof value === 'string' ||
      typeof value === 'function' ||
      isList(value),
  ),
  /** Whether cookies may come along. */
  credentials: option.boolean(false),
  /** The methods that other pages may use. */
  methods: option.custom<readonly string[]>(
    ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE'],
    'a list of methods such as "GET"',
    isList,
  ),
  /** The names of the headers that other pages may send. Default: those that they ask for. */
  allowedHeaders: option.custom<readonly string[] | undefined>(
    undefined,
    'a list of names of headers',
    isListOrAbsent,
  ),
  /** The names of the response headers that scripts of other pages may read. */
  exposedHeaders: option.custom<readonly string[]>([], 'a list of names of headers', isList),
  /** Seconds for which a browser need not ask again. */
  maxAge: option.whole(600, { unit: 'seconds' }),
  /** Other options, key by key, for routes and files below a path: `{ '/api/public': { origin: '*' }, '/api/admin': false }`. */
  paths: option.custom<Readonly<Record<string, CorsOptions | false>>>(
    {},
    'an object of options, or false, by path',
    (value): value is Readonly<Record<string, CorsOptions | false>> =>
      typeof value === 'object' && value !== null && !Array.isArray(value),
  ),
};
