import type { ServerResponse } from 'node:http';
import type { HttpIo } from '../io/io.js';
import { plainIo, writeHead } from '../io/io.js';
import { ABOUT_BODY, TYPES } from './headers.js';
import { ResponseHead } from './response-head.js';
import type { StreamBody } from './stream.js';
import { headersOf, notJsonAtAll, pump, sentAlready, toReadable } from './stream.js';

export type { CookieOptions } from './response-head.js';

/** Builds the response. Setters can be chained and send nothing; `send`, `json`, `redirect` and `end` send it, once. */
export class HttpResponse extends ResponseHead {
  #sent = false;
  #streaming: Promise<void> | undefined;
  /** Set while a body is being encoded, before its head is written. */
  #writing: Promise<void> | undefined;
  readonly #io: HttpIo;

  constructor(raw: ServerResponse, io = plainIo) {
    super(raw);
    this.#io = io;
  }

  /** Whether the response has been sent, here or on `raw`. */
  get sent(): boolean {
    return this.#sent || this.raw.headersSent;
  }

  /** Whether a stream is being sent or has failed. If it failed, `settled` rejects with the reason. */
  get isStreaming(): boolean {
    return this.#streaming !== undefined;
  }

  /** Whether the response waits for `beforeHead` callbacks or for its body to be encoded. */
  get isHeld(): boolean {
    return this.beforeHeadCallbacks?.held !== undefined || this.#writing !== undefined;
  }

  /** Resolves when a response that is held or streamed has been sent, or rejects with why not: another can be, where nothing was. */
  settled(): Promise<void> | undefined {
    const held = this.beforeHeadCallbacks?.held;
    return this.#streaming ?? (held && this.#reopening(held)) ?? this.#writing;
  }

  /** Redirect the client; 302 unless `status` is another 3xx. */
  redirect(url: string, status = 302): void {
    this.status(status).header('Location', encodeURI(url).replace(/%25/g, '%')).end();
  }

  /** Send `value` as JSON. It is serialized first, so that a value that can't be serialized throws before anything is sent. */
  json(value: unknown): void {
    const text = JSON.stringify(value);
    if (text === undefined) throw notJsonAtAll(value);
    this.#finish(this.givenType ?? 'application/json', text, this.givenStatus ?? 200);
  }

  /** Send text or bytes unchanged, as `text/plain` or `application/octet-stream` unless `type()` set a media type. */
  send(body: string | Uint8Array): void {
    const type = typeof body === 'string' ? TYPES.text : TYPES.bytes;
    this.#finish(this.givenType ?? type ?? '', body, this.givenStatus ?? 200);
  }

  /**
   * Send the pieces of a stream, an iterator or a Blob with back-pressure. Rejects with the error of the source: before the
   * first piece, nothing has been sent; after it, the response is cut off. A client that disconnects ends the source. The
   * head waits for the first piece, except for event streams.
   */
  stream(body: StreamBody): Promise<void> {
    const type = this.givenType ?? ((body instanceof Blob && body.type) || TYPES.bytes);
    const length = body instanceof Blob ? body.size : this.givenLength;
    return this.#startStreaming(this.givenStatus ?? 200, type, length, body);
  }

  /** Send a web Response. Headers that were set on `res` are sent, too. */
  async respond(response: Response): Promise<void> {
    for (const [name, value] of headersOf(response)) this.header(name, value);
    const { status, body } = response;
    this.status(status);
    if (body) await this.#startStreaming(status, this.givenType, this.givenLength, body);
    else this.#finish(this.givenType, '', status);
  }

  /**
   * Hand the connection over to another protocol (RFC 9110 §7.8), after which nothing can be sent here. Runs the `beforeHead`
   * callbacks, then resolves with the headers that were set; names and values alternate.
   */
  async detachForUpgrade(): Promise<readonly string[]> {
    this.#begin();
    try {
      await this.beforeHeadCallbacks?.run();
    } catch (thrown) {
      HttpResponse.reopen(this);
      throw thrown;
    }
    return this.givenHeaders ?? [];
  }

  /** Send the head without a body, with the status that was set, or 204. */
  end(): void {
    this.#finish(this.givenType, '', this.givenStatus ?? 204);
  }

  #finish(type: string | undefined, body: string | Uint8Array, status: number): void {
    if (this.#isEmpty(status))
      return this.#sendEmpty(status, type, status === 200 ? Buffer.byteLength(body) : undefined);
    this.#begin();
    if (this.beforeHeadCallbacks) this.beforeHeadCallbacks.runThenSend(() => this.#write(type, body, status));
    else this.#write(type, body, status);
  }

  #write(type: string | undefined, body: string | Uint8Array, status: number): Promise<void> | undefined {
    const headers = this.givenHeaders && this.finalHeaders(this.givenHeaders);
    this.#writing = this.#io.write(this.raw, status, headers, type, body, this.givenLength);
    // The code that answers the request awaits it, but possibly after it has rejected.
    this.#writing?.catch(() => {});
    return this.#writing;
  }

  /** The handler need not await it, because the code that answers the request awaits `settled`. */
  #startStreaming(
    ...head: [status: number, type: string | undefined, length: number | undefined, body: StreamBody]
  ) {
    const streaming = this.#pump(...head);
    streaming.catch(() => {});
    this.#streaming = streaming;
    return streaming;
  }

  async #pump(status: number, type: string | undefined, length: number | undefined, body: StreamBody) {
    const source = toReadable(body);
    const empty = this.#isEmpty(status);
    if (empty || this.sent) source.destroy();
    if (empty) return this.#sendEmpty(status, type, status === 200 ? length : undefined);
    this.#begin();
    const eager = type?.startsWith('text/event-stream') ?? false;
    try {
      await this.beforeHeadCallbacks?.run();
      const headers = this.finalHeaders(this.givenHeaders ?? []);
      const coded = this.#io.encode?.(this.raw, { status, headers, type, length }, source);
      await pump(
        this.raw,
        coded ?? source,
        () => writeHead(this.raw, status, headers, type, coded ? undefined : length),
        eager,
      );
    } catch (thrown) {
      source.destroy();
      if (!this.raw.headersSent) HttpResponse.reopen(this);
      throw thrown;
    }
  }

  /** Internal: called if nothing has been sent and another response will be. */
  static reopen(res: HttpResponse): void {
    res.beforeHeadCallbacks = undefined;
    res.#sent = false;
  }

  #reopening(running: Promise<void>): Promise<void> {
    return running.catch((thrown) => {
      HttpResponse.reopen(this);
      throw thrown;
    });
  }

  /** Whether the response has no body, because of its status or because the client already has the body. */
  #isEmpty(status: number): boolean {
    if (status === 204 || status === 205 || status === 304) return true;
    return this.isConditional && status === 200 && this.isNotModified;
  }

  #sendEmpty(status: number, type: string | undefined, length: number | undefined): void {
    this.#begin();
    if (status !== 204 && this.#io.describe) {
      this.givenHeaders ??= [];
      this.#io.describe(this.raw, { status: 200, headers: this.givenHeaders, type, length });
    }
    if (status !== 204) this.drop(ABOUT_BODY);
    const bare = status === 204 ? 204 : 304;
    const send = (): undefined => {
      // Unlike 204 and 304, a 205 needs `Content-Length: 0` (RFC 9110 §15.3.6).
      if (status === 205) this.#write(undefined, '', status);
      else this.#io.writeEmpty(this.raw, bare, this.finalHeaders(this.givenHeaders ?? []));
    };
    if (this.beforeHeadCallbacks) this.beforeHeadCallbacks.runThenSend(send);
    else send();
  }

  #begin(): void {
    if (this.sent) throw sentAlready();
    this.#sent = true;
    // Another response replaces a stream that failed.
    this.#streaming = undefined;
  }
}
