import { type ServerResponse, validateHeaderValue } from 'node:http';
import { type SerializeOptions, serialize } from 'cookie';
import { isNotModified } from './conditional.js';
import { ABOUT_BODY, checkHeader, type HeaderList, lengthOf, removeHeader } from './headers.js';
import { TYPES } from './media-types.js';
import type { StreamBody } from './result.js';
import { pump, toReadable } from './stream.js';
import { headersOf } from './web-response.js';

export type CookieOptions = SerializeOptions;

/** Builds the response. Setters chain and send nothing; `send`, `json`, `redirect` and `end` send, once. */
export class CloveResponse {
  #sent = false;
  #status: number | undefined;
  #type: string | undefined;
  #headers: HeaderList | undefined;
  /** What Content-Length was set to. Counts where the body does not tell its own. */
  #length: number | undefined;
  /** Whether ETag or Last-Modified was set: only then may the answer be a 304. */
  #conditional = false;

  constructor(
    /** Node's own response. */
    readonly raw: ServerResponse,
  ) {}

  /** True once the response has been sent, here or on `raw`. */
  get sent(): boolean {
    return this.#sent || this.raw.headersSent;
  }

  /** The status that was set, if one was. */
  get statusCode(): number | undefined {
    return this.#status;
  }

  /** The media type that was set, if one was. */
  get contentType(): string | undefined {
    return this.#type;
  }

  /** Set the status, 200 to 599. */
  status(code: number): this {
    if (!Number.isInteger(code) || code < 200 || code > 599)
      throw new RangeError(`res.status() takes a status from 200 to 599, not ${String(code)}`);
    this.#status = code;
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
      this.#length = lengthOf(value);
      return this;
    }
    if (lower === 'etag' || lower === 'last-modified') this.#conditional = true;
    if (lower !== 'set-cookie' && lower !== 'vary') this.#remove(lower);
    this.#add(name, String(value));
    return this;
  }

  /** Take back headers, by their names in lower case. */
  drop(names: readonly string[]): this {
    for (const name of names) {
      this.#remove(name);
      this.raw.removeHeader(name);
    }
    if (names.includes('content-length')) this.#length = undefined;
    return this;
  }

  /** Set the media type: a full one, or `html`, `text`, `json`, `css`, `js`, `xml`, `svg`, `bytes`. */
  type(type: string): this {
    const full = TYPES[type] ?? type;
    validateHeaderValue('Content-Type', full);
    this.#type = full;
    return this;
  }

  /** Set a cookie; `Path=/` unless the options say otherwise. Throws TypeError for a name or value that is not one. */
  cookie(name: string, value: string, options?: CookieOptions): this {
    // The order matters: V8 copies `options` ten times faster when it is spread before `name` and `value` are added.
    const cookie = { path: '/', ...options, name, value };
    cookie.path ??= '/';
    this.#add('Set-Cookie', serialize(cookie, options));
    return this;
  }

  /** Make the client forget a cookie. `path` and `domain` must be those it was set with. */
  clearCookie(name: string, options?: CookieOptions): this {
    return this.cookie(name, '', { ...options, expires: new Date(0), maxAge: 0 });
  }

  /** Send the client elsewhere; 302 unless `status` is another 3xx. */
  redirect(url: string, status = 302): void {
    this.status(status).header('Location', encodeURI(url).replace(/%25/g, '%'));
    this.end();
  }

  /** Send `value` as JSON. It is serialised before anything is sent, so one that cannot be throws cleanly. */
  json(value: unknown): void {
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError(`a ${typeof value} cannot be sent as JSON`);
    this.#finish(this.#type ?? 'application/json', text, this.#status ?? 200);
  }

  /** Send text or bytes as they are: `text/plain` or `application/octet-stream` unless `type()` said otherwise. */
  send(body: string | Uint8Array): void {
    const type = typeof body === 'string' ? TYPES.text : TYPES.bytes;
    this.#finish(this.#type ?? type ?? '', body, this.#status ?? 200);
  }

  /**
   * Send what a stream, an iterator or a Blob yields, as fast as the client reads it. Rejects with what the source
   * throws: before its first piece nothing has been sent, after it the response is cut off. A client that goes away
   * ends the source. The head waits for the first piece, except that of an event stream.
   */
  async stream(body: StreamBody): Promise<void> {
    const type = this.#type ?? ((body instanceof Blob && body.type) || TYPES.bytes);
    await this.#pour(this.#status ?? 200, type, body instanceof Blob ? body.size : this.#length, body);
  }

  /** Send a web Response, with the headers that were set here beside its own. */
  async respond(response: Response): Promise<void> {
    for (const [name, value] of headersOf(response)) this.header(name, value);
    const { status, body } = response;
    if (body) await this.#pour(status, this.#type, this.#length, body);
    else this.#finish(this.#type, '', status);
  }

  /** Send the head alone: the status that was set, or 204. */
  end(): void {
    this.#finish(this.#type, '', this.#status ?? 204);
  }

  #finish(type: string | undefined, body: string | Uint8Array, status: number): void {
    if (this.#isEmpty(status)) return this.#sendEmpty(status);
    this.#begin();
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    // A handler of HEAD may announce the length of a body that it does not make.
    const announced = this.#length !== undefined && this.raw.req.method === 'HEAD' ? this.#length : length;
    this.#writeHead(status, type, announced);
    this.raw.end(body);
  }

  async #pour(status: number, type: string | undefined, length: number | undefined, body: StreamBody) {
    const source = toReadable(body);
    const empty = this.#isEmpty(status);
    if (empty || this.sent) source.destroy();
    if (empty) return this.#sendEmpty(status);
    this.#begin();
    const eager = type?.startsWith('text/event-stream') ?? false;
    try {
      await pump(this.raw, source, () => this.#writeHead(status, type, length), eager);
    } catch (thrown) {
      if (!this.raw.headersSent) this.#sent = false;
      throw thrown;
    }
  }

  /** Whether a response of this status has no body: by its status, or because the client has it. */
  #isEmpty(status: number): boolean {
    if (status === 204 || status === 304) return true;
    return this.#conditional && status === 200 && isNotModified(this.raw.req, this.#headers ?? []);
  }

  #sendEmpty(status: number): void {
    this.#begin();
    if (status !== 204) this.drop(ABOUT_BODY);
    this.raw.writeHead(status === 204 ? 204 : 304, this.#headers ?? []);
    this.raw.end();
  }

  #writeHead(status: number, type: string | undefined, length: number | undefined): void {
    const headers = this.#headers ?? [];
    if (type !== undefined) headers.push('Content-Type', type);
    if (length !== undefined) headers.push('Content-Length', String(length));
    this.raw.writeHead(status, headers);
  }

  #begin(): void {
    if (this.sent) throw new Error('the response has been sent already');
    this.#sent = true;
  }

  #add(name: string, value: string): void {
    if (this.#headers === undefined) this.#headers = [name, value];
    else this.#headers.push(name, value);
  }

  #remove(lower: string): void {
    if (this.#headers !== undefined) removeHeader(this.#headers, lower);
  }
}
