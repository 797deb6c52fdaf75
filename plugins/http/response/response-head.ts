import { type ServerResponse, validateHeaderValue } from 'node:http';
import { coded } from '../../../kernel/index.js';
import { BeforeHead } from './before-head.js';
import { checkHeader, headerOf, lengthOf, mayBeKept, notInherited, removeHeader } from './headers.js';
import type { HeaderList } from '../io/io.js';
import { TYPES } from './media-types.js';
import { nonceOf } from './nonce.js';
import { isNotModified } from './not-modified.js';
import { type CookieOptions, setCookieText } from './set-cookie.js';

export type { CookieOptions } from './set-cookie.js';

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
    if (lower !== 'set-cookie' && lower !== 'vary') this.remove(lower);
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

  private add(name: string, value: string): void {
    if (this.givenHeaders === undefined) this.givenHeaders = [name, value];
    else this.givenHeaders.push(name, value);
  }

  private remove(lower: string): void {
    if (this.givenHeaders !== undefined) removeHeader(this.givenHeaders, lower);
  }
}
