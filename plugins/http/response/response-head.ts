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

/** Functions that run right before the head of one response is written, each once. Made only for responses that need it. */
class BeforeHead {
  #all: (() => unknown)[] = [];
  /** Resolves when they have run and the response has been sent; undefined until something is to be sent. */
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
    // It is awaited by the function that answers the request, but perhaps not before it has failed.
    this.held.catch(() => {});
  }
}

/** The head of a response: status, media type, headers. Setters chain and send nothing. */
export class ResponseHead {
  protected givenStatus: number | undefined;
  protected givenType: string | undefined;
  protected givenHeaders: HeaderList | undefined;
  /** The Content-Length that was set. Counts where the length of the body is not known. */
  protected givenLength: number | undefined;
  /** Whether ETag or Last-Modified was set: only then may the answer be a 304. */
  protected isConditional = false;
  protected beforeHeadCallbacks: BeforeHead | undefined;
  /** Whether the response belongs to one visitor: it sets a cookie, or contains data of a session. */
  protected isPrivate = false;

  constructor(
    /** Node's own response. */
    readonly raw: ServerResponse,
  ) {}

  /** The status that was set, if one was. */
  get statusCode(): number | undefined {
    return this.givenStatus;
  }

  /** The media type that was set, if one was. */
  get contentType(): string | undefined {
    return this.givenType;
  }

  /**
   * Whether the client has what is there, by the ETag or Last-Modified that was set: a 200 to GET or HEAD is then sent as a 304, without
   * its body (RFC 9110 §13).
   */
  get isNotModified(): boolean {
    return this.isConditional && isNotModified(this.raw.req, this.givenHeaders ?? []);
  }

  /**
   * Random text for the `nonce` attributes of scripts and styles, the same for the whole response. It is made when it is first
   * read, and the Content-Security-Policy of `securityHeaders` allows it.
   */
  get nonce(): string {
    return nonceOf(this.raw);
  }

  /**
   * Set many headers that whatever answers may replace, names and values in turn. They are not checked again: give what is known
   * to be valid (RFC 9110 §5).
   */
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
   * Set a header, in place of an earlier one of that name; `Set-Cookie` and `Vary` are added to. Throws TypeError for a name or
   * value that HTTP does not allow (RFC 9110 §5): nothing can be smuggled into the head. With an `ETag` or
   * `Last-Modified`, a GET or HEAD whose client has that version already is answered with 304.
   */
  header(name: string, value: string | number): this {
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

  /** Whether a header was set here. Content-Type is `contentType`. */
  hasHeader(name: string): boolean {
    return this.givenHeaders !== undefined && headerOf(this.givenHeaders, name.toLowerCase()) !== undefined;
  }

  /** Remove headers, by their names in lower case. */
  drop(names: readonly string[]): this {
    if (this.givenHeaders !== undefined) for (const name of names) this.remove(name);
    // A server around this one may have set some on `raw`.
    if (this.raw.getHeaderNames().length > 0) for (const name of names) this.raw.removeHeader(name);
    if (names.includes('content-length')) this.givenLength = undefined;
    return this;
  }

  /** Take back what was said of a success that an error of that status replaces: of its body, its version, and how long it may be kept. */
  dropForError(status: number): this {
    this.givenLength = undefined;
    if (this.givenHeaders === undefined && this.raw.getHeaderNames().length === 0) return this;
    return this.drop(notInherited(status)).dropLifetime();
  }

  /** Take back for how long the response may be kept. What forbids it, as `no-store`, stays. */
  dropLifetime(): this {
    const said = headerOf(this.givenHeaders ?? [], 'cache-control') ?? this.raw.getHeader('cache-control');
    return mayBeKept(String(said)) ? this.drop(['cache-control']) : this;
  }

  /** Set the media type: a full one, or `html`, `text`, `json`, `css`, `js`, `xml`, `svg`, `bytes`. */
  type(type: string): this {
    const full = (Object.hasOwn(TYPES, type) ? TYPES[type] : undefined) ?? type;
    validateHeaderValue('Content-Type', full);
    this.givenType = full;
    return this;
  }

  /** Set a cookie; `Path=/` unless the options say otherwise. Throws TypeError for a name or value that is not one. */
  cookie(name: string, value: string, options?: CookieOptions): this {
    this.add('Set-Cookie', setCookieText(name, value, options));
    this.isPrivate = true;
    return this;
  }

  /** Make the client forget a cookie. `path` and `domain` must be those it was set with. */
  clearCookie(name: string, options?: CookieOptions): this {
    return this.cookie(name, '', { ...options, expires: new Date(0), maxAge: 0 });
  }

  /**
   * Run `callback` once, right before the head is written, whichever way: the last moment to set a header. If it returns a
   * promise, the head waits for it. An error that it throws is answered like one that a handler throws.
   */
  beforeHead(callback: () => unknown): this {
    this.beforeHeadCallbacks ??= new BeforeHead();
    this.beforeHeadCallbacks.add(callback);
    return this;
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

/** Keeps shared caches from storing a response, because it belongs to one visitor. */
export const keepPrivate = (res: ResponseHead): void => ResponseHead.keepPrivate(res);

/** Options of a cookie: `httpOnly`, `maxAge` in seconds, `sameSite`, `path` … (RFC 6265 §4.1.2). */
export type CookieOptions = SerializeOptions;

/** The text of a `Set-Cookie` header; `Path=/` unless the options say otherwise. Throws TypeError for a name or value that is not one. */
function setCookieText(name: string, value: string, options: CookieOptions = DEFAULTS): string {
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

/**
 * Whether the client already has what a 200 with these headers would send: `If-None-Match` against the ETag, compared
 * weakly, else `If-Modified-Since` against Last-Modified (RFC 9110 §13.2.2). A `Cache-Control: no-cache` beside them, which `fetch`
 * adds, asks caches on the way to have this validated here (RFC 9111 §5.2.1.4).
 */
export function isNotModified({ method, headers }: IncomingMessage, own: HeaderList): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const conditions = {
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
  };
  return fresh(conditions, { etag: headerOf(own, 'etag'), 'last-modified': headerOf(own, 'last-modified') });
}
