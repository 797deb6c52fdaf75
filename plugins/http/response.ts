import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import { type SerializeOptions, serialize } from 'cookie';
import { BeforeHead } from './before-head.js';
import { TYPES } from './media-types.js';
import type { StreamBody } from './result.js';
import { hush, pipeTo } from './stream.js';

export type CookieOptions = SerializeOptions;

/** Builds the response. Setters chain and send nothing; `send`, `json`, `redirect` and `end` send, once. */
export class CloveResponse {
  #sent = false;
  #status: number | undefined;
  #type: string | undefined;
  /** Names and values in turn, as `writeHead` takes them fastest. */
  #headers: string[] | undefined;
  #beforeHead: BeforeHead | undefined;

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
   * Set a header, in place of an earlier one of that name; `Set-Cookie` is added to. Throws TypeError for a name or
   * value that HTTP does not allow (RFC 9110 §5): nothing can be smuggled into the head.
   */
  header(name: string, value: string | number): this {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
    const lower = name.toLowerCase();
    if (lower === 'content-type') return this.type(String(value));
    if (lower !== 'set-cookie') this.#remove(lower);
    this.#add(name, String(value));
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
    this.#add(
      'Set-Cookie',
      serialize(name, value, options?.path === undefined ? { ...options, path: '/' } : options),
    );
    return this;
  }

  /** Make the client forget a cookie. `path` and `domain` must be those it was set with. */
  clearCookie(name: string, options?: CookieOptions): this {
    return this.cookie(name, '', { ...options, expires: new Date(0), maxAge: 0 });
  }

  /**
   * Run `last` once, right before the head is written, whoever sends: the last moment to set a header. If it returns a
   * promise, the head waits for it. What it throws is answered like what a handler throws.
   */
  beforeHead(last: () => unknown): this {
    this.#beforeHead ??= new BeforeHead();
    this.#beforeHead.add(last);
    return this;
  }

  /** What was sent has to wait for what `beforeHead` was given. */
  get isHeld(): boolean {
    return this.#beforeHead?.held !== undefined;
  }

  /** Resolves when what is held has been sent, or rejects with the reason why not: then something else can be. */
  settled(): Promise<void> | undefined {
    return this.#beforeHead?.held && this.#reopening(this.#beforeHead.held);
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
    this.#finish(this.#type ?? TYPES[typeof body === 'string' ? 'text' : 'bytes'], body, this.#status ?? 200);
  }

  /**
   * Send what a stream, an iterator or a Blob yields, as fast as the client reads it. Resolves when it is out, or when
   * the client has gone; what the source throws cuts the response off, since its head has been sent.
   */
  async stream(body: StreamBody): Promise<void> {
    this.#begin();
    if (this.#beforeHead) await this.#reopening(this.#beforeHead.run(), body);
    const headers = this.#headers ?? [];
    const type = this.#type ?? (body instanceof Blob && body.type !== '' ? body.type : TYPES.bytes);
    headers.push('Content-Type', type ?? '');
    if (body instanceof Blob) headers.push('Content-Length', String(body.size));
    this.raw.writeHead(this.#status ?? 200, headers);
    await pipeTo(this.raw, body);
  }

  /** Send a web Response, with the headers that were set here beside its own. */
  async respond(response: Response): Promise<void> {
    for (const [name, value] of response.headers) if (name !== 'set-cookie') this.header(name, value);
    for (const cookie of response.headers.getSetCookie()) this.header('Set-Cookie', cookie);
    this.#begin();
    if (this.#beforeHead) await this.#reopening(this.#beforeHead.run());
    const headers = this.#headers ?? [];
    if (this.#type !== undefined) headers.push('Content-Type', this.#type);
    this.raw.writeHead(response.status, headers);
    if (response.body) await pipeTo(this.raw, response.body);
    else this.raw.end();
  }

  /** Send the head alone: the status that was set, or 204. */
  end(): void {
    const status = this.#status ?? 204;
    if (status === 204 || status === 304) this.#finish(undefined, undefined, status);
    else this.#finish(this.#type, '', status);
  }

  #finish(type: string | undefined, body: string | Uint8Array | undefined, status: number): void {
    this.#begin();
    if (this.#beforeHead) this.#beforeHead.hold(() => this.#write(type, body, status));
    else this.#write(type, body, status);
  }

  /** Where what runs before the head fails, nothing has been sent: the error can still be answered. */
  #reopening(running: Promise<void>, waiting?: StreamBody): Promise<void> {
    if (waiting) hush(waiting);
    return running.catch((thrown) => {
      this.#beforeHead = undefined;
      this.#sent = false;
      throw thrown;
    });
  }

  #write(type: string | undefined, body: string | Uint8Array | undefined, status: number): void {
    if (body === undefined) return void this.raw.writeHead(status, this.#headers ?? NONE).end();
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    const headers = this.#headers ?? [];
    if (type !== undefined) headers.push('Content-Type', type);
    headers.push('Content-Length', String(length));
    this.raw.writeHead(status, headers);
    this.raw.end(body);
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
    const headers = this.#headers;
    if (headers === undefined) return;
    for (let index = headers.length - 2; index >= 0; index -= 2)
      if (headers[index]?.toLowerCase() === lower) headers.splice(index, 2);
  }
}

const NONE: string[] = [];
