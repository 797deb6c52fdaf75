import { AsyncResource } from 'node:async_hooks';
import { type IncomingMessage, type ServerResponse, validateHeaderValue } from 'node:http';
import { type SerializeOptions, serialize } from 'cookie';
import fresh from 'fresh';
import { coded } from '../../../kernel/index.js';
import type { HeaderList } from '../io/io.js';
import {
  checkHeader,
  headerOf,
  keepRepeated,
  lengthOf,
  makePrivate,
  mayBeKept,
  notInherited,
  removeHeader,
  TYPES,
} from './headers.js';
import { nonceOf } from './nonce.js';

/** Functions that run once, right before the head of a response is written. Created only for responses that need it. */
class BeforeHead {
  #all: (() => unknown)[] = [];
  /** Resolves when the functions have run and the response has been sent; undefined until something is being sent. */
  held: Promise<void> | undefined;

  add(callback: () => unknown): void {
    this.#all.push(callback);
  }

  async run(): Promise<void> {
    const all = this.#all;
    this.#all = [];
    for (const callback of all) await callback();
  }

  runThenSend(send: () => Promise<void> | undefined): void {
    this.held = this.run().then(send);
    // The code that answers the request awaits it, but possibly after it has rejected.
    this.held.catch(() => {});
  }
}

/** The head of a response: status, media type, headers. Setters can be chained and send nothing. */
export class ResponseHead {
  protected givenStatus: number | undefined;
  protected givenType: string | undefined;
  protected givenHeaders: HeaderList | undefined;
  /** The Content-Length that was set. Used if the length of the body is unknown. */
  protected givenLength: number | undefined;
  /** Whether ETag or Last-Modified was set, which is required for a 304. */
  protected isConditional = false;
  protected beforeHeadCallbacks: BeforeHead | undefined;
  /** Whether the response is specific to one visitor: it sets a cookie or contains session data. */
  protected isPrivate = false;

  constructor(
    /** Node's own response. */
    readonly raw: ServerResponse,
  ) {}

  /** The status that was set; undefined if none was. */
  get statusCode(): number | undefined {
    return this.givenStatus;
  }

  /** The media type that was set; undefined if none was. */
  get contentType(): string | undefined {
    return this.givenType;
  }

  /**
   * Whether the client already has the current version, by the ETag or Last-Modified that was set. A 200 to GET or HEAD is
   * then sent as a 304 without its body (RFC 9110 §13).
   */
  get isNotModified(): boolean {
    return this.isConditional && isNotModified(this.raw.req, this.givenHeaders ?? []);
  }

  /**
   * Random text for the `nonce` attributes of scripts and styles, the same for the whole response. Created on first access,
   * and allowed by the Content-Security-Policy of `securityHeaders`.
   */
  get nonce(): string {
    return nonceOf(this.raw);
  }

  /** Set default headers, names and values in turn, that handlers may replace. They must be valid. */
  preset(headers: readonly string[]): this {
    if (this.givenHeaders === undefined) this.givenHeaders = headers.slice();
    else this.givenHeaders.push(...headers);
    return this;
  }

  /** Set the status, 200 to 599. */
  status(code: number): this {
    if (!Number.isInteger(code) || code < 200 || code > 599)
      throw coded(
        'FWK412',
        new RangeError(`res.status() takes a status from 200 to 599, not ${String(code)}`),
      );
    this.givenStatus = code;
    return this;
  }

  /**
   * Set a header; a list sets several values. Replaces earlier values except for `Set-Cookie` and `Vary`, which are appended. Throws TypeError for an
   * invalid name or value (RFC 9110 §5), which prevents header injection. With an `ETag` or `Last-Modified`, a GET or HEAD
   * request whose client has the current version is answered with 304.
   */
  header(name: string, value: string | number | readonly string[]): this {
    if (typeof value === 'object') return this.#headers(name, value);
    const lower = checkHeader(name, String(value));
    if (lower === 'content-type') return this.type(String(value));
    if (lower === 'content-length') {
      this.givenLength = lengthOf(value);
      return this;
    }
    if (lower === 'etag' || lower === 'last-modified') this.isConditional = true;
    if (lower === 'set-cookie') this.isPrivate = true;
    else if (lower !== 'vary') this.remove(lower);
    this.add(name, String(value));
    return this;
  }

  /** Several cookies are separate headers; other lists are joined (RFC 9110 §5.3). */
  #headers(name: string, values: readonly string[]): this {
    if (name.toLowerCase() !== 'set-cookie') return this.header(name, values.join(', '));
    for (const value of values) this.header(name, value);
    return this;
  }

  /** Whether a header was set here. For Content-Type, use `contentType`. */
  hasHeader(name: string): boolean {
    return this.givenHeaders !== undefined && headerOf(this.givenHeaders, name.toLowerCase()) !== undefined;
  }

  /** Remove headers by their lower-case names. */
  drop(names: readonly string[]): this {
    if (this.givenHeaders !== undefined) for (const name of names) this.remove(name);
    // A server around this one may have set headers on `raw`.
    if (this.raw.getHeaderNames().length > 0) for (const name of names) this.raw.removeHeader(name);
    if (names.includes('content-length')) this.givenLength = undefined;
    return this;
  }

  /** Remove headers about the success that this error replaces: its body, version and cache lifetime. */
  dropForError(status: number): this {
    this.givenLength = undefined;
    if (this.givenHeaders === undefined && this.raw.getHeaderNames().length === 0) return this;
    return this.drop(notInherited(status)).dropLifetime();
  }

  /** Remove the cache lifetime of the response. Values that forbid caching, such as `no-store`, are kept. */
  dropLifetime(): this {
    const value = headerOf(this.givenHeaders ?? [], 'cache-control') ?? this.raw.getHeader('cache-control');
    return mayBeKept(String(value)) ? this.drop(['cache-control']) : this;
  }

  /** Set the media type: a full one, or `html`, `text`, `json`, `css`, `js`, `xml`, `svg`, `bytes`. */
  type(type: string): this {
    const full = (Object.hasOwn(TYPES, type) ? TYPES[type] : undefined) ?? type;
    validateHeaderValue('Content-Type', full);
    this.givenType = full;
    return this;
  }

  /** Set a cookie; `Path=/` unless the options override it. Throws TypeError for an invalid name or value. */
  cookie(name: string, value: string, options?: CookieOptions): this {
    this.add('Set-Cookie', setCookieText(name, value, options));
    this.isPrivate = true;
    return this;
  }

  /** Delete a cookie in the client. `path` and `domain` must be the same as when it was set. */
  clearCookie(name: string, options?: CookieOptions): this {
    return this.cookie(name, '', { ...options, expires: new Date(0), maxAge: 0 });
  }

  /**
   * Run `callback` once, right before the head is written, the last moment to set a header. If it returns a promise, the head
   * waits for the promise. An error that it throws is handled like an error of the handler.
   */
  beforeHead(callback: () => unknown): this {
    this.beforeHeadCallbacks ??= new BeforeHead();
    // The head is written outside of the middlewares, whose AsyncLocalStorage the callback may read.
    this.beforeHeadCallbacks.add(AsyncResource.bind(callback));
    return this;
  }

  /** Internal: whether the response is specific to one visitor. */
  static isPrivate(res: ResponseHead): boolean {
    return res.isPrivate;
  }

  /** Internal: the headers that were set so far, names and values in turn. */
  static givenHeaders(res: ResponseHead): readonly string[] {
    return res.givenHeaders ?? [];
  }

  /** Internal: see `keepPrivate`. */
  static keepPrivate(res: ResponseHead): void {
    res.isPrivate = true;
  }

  /** The headers to send. */
  protected finalHeaders(headers: HeaderList): HeaderList {
    if (this.isPrivate) makePrivate(this.raw, headers);
    return keepRepeated(this.raw, headers);
  }

  private add(name: string, value: string): void {
    if (this.givenHeaders === undefined) this.givenHeaders = [name, value];
    else this.givenHeaders.push(name, value);
  }

  private remove(lower: string): void {
    if (this.givenHeaders !== undefined) removeHeader(this.givenHeaders, lower);
  }
}

/** Prevent shared caches from storing a response, because it is specific to one visitor. */
export const keepPrivate = (res: ResponseHead): void => ResponseHead.keepPrivate(res);

/** The headers that were set so far, names and values in turn. */
export const givenHeadersOf = (res: ResponseHead): readonly string[] => ResponseHead.givenHeaders(res);

/** Options of a cookie: `httpOnly`, `maxAge` in seconds, `sameSite`, `path` … (RFC 6265 §4.1.2). */
export type CookieOptions = SerializeOptions;

/** Serialize a `Set-Cookie` header; `Path=/` unless the options override it. Throws TypeError for an invalid name or value. */
function setCookieText(name: string, value: string, options: CookieOptions = DEFAULTS): string {
  const { encode, expires } = options;
  if (String(options.sameSite).toLowerCase() === 'none' && options.secure !== true)
    throw coded(
      'FWK413',
      `browsers reject the cookie ${JSON.stringify(name)}: SameSite=None needs Secure. Set secure: true`,
    );
  const pair = encode ? serialize(name, value, { encode }) : serialize(name, value);
  if (expires !== undefined) return pair + attributesOf(options);
  if (last === undefined || !isSame(last.options, options))
    last = { options: { ...options }, text: attributesOf(options) };
  return pair + last.text;
}

const DEFAULTS: CookieOptions = {};

/** A route sets the same attributes each time, so the last serialization is cached. */
let last: { readonly options: CookieOptions; readonly text: string } | undefined;

/** Serialize the attributes with the library, using a dummy cookie: everything after `n=`. */
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

/**
 * Whether the client already has the response with these headers: compares `If-None-Match` weakly with the ETag, or else
 * `If-Modified-Since` with Last-Modified (RFC 9110 §13.2.2). A `Cache-Control: no-cache` in the request, which `fetch` adds,
 * asks caches to revalidate here (RFC 9111 §5.2.1.4), so it doesn't prevent a 304.
 */
export function isNotModified({ method, headers }: IncomingMessage, own: HeaderList): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const conditions = {
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
  };
  return fresh(conditions, { etag: headerOf(own, 'etag'), 'last-modified': headerOf(own, 'last-modified') });
}
