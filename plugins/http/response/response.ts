import type { ServerResponse } from 'node:http';
import type { Io } from '../io/io.js';
import { plainIo, writeHead } from '../io/io.js';
import { ABOUT_BODY, TYPES } from './headers.js';
import { ResponseHead } from './response-head.js';
import type { StreamBody } from './stream.js';
import { headersOf, notJsonAtAll, pump, sentAlready, toReadable } from './stream.js';

export type { CookieOptions } from './response-head.js';

/** Builds the response. Setters chain and send nothing; `send`, `json`, `redirect` and `end` send, once. */
export class HttpResponse extends ResponseHead {
  #sent = false;
  #streaming: Promise<void> | undefined;
  /** Set while a body is coded before its head is written. */
  #writing: Promise<void> | undefined;
  readonly #io: Io;

  constructor(raw: ServerResponse, io = plainIo) {
    super(raw);
    this.#io = io;
  }

  /** True once the response has been sent, here or on `raw`. */
  get sent(): boolean {
    return this.#sent || this.raw.headersSent;
  }

  /** A stream is being sent, or should have been and has failed: then `settled` rejects with the reason. */
  get isStreaming(): boolean {
    return this.#streaming !== undefined;
  }

  /** The response waits for functions that `beforeHead` was given, or for its body to be coded. */
  get isHeld(): boolean {
    return this.beforeHeadCallbacks?.held !== undefined || this.#writing !== undefined;
  }

  /** Resolves when a response that is held or streamed has been sent, or rejects with why not: another can be, where nothing was. */
  settled(): Promise<void> | undefined {
    const held = this.beforeHeadCallbacks?.held;
    return this.#streaming ?? (held && this.#reopening(held)) ?? this.#writing;
  }

  /** Send the client elsewhere; 302 unless `status` is another 3xx. */
  redirect(url: string, status = 302): void {
    this.status(status).header('Location', encodeURI(url).replace(/%25/g, '%')).end();
  }

  /** Send `value` as JSON. It is serialised before anything is sent, so one that cannot be throws cleanly. */
  json(value: unknown): void {
    const text = JSON.stringify(value);
    if (text === undefined) throw notJsonAtAll(value);
    this.#finish(this.givenType ?? 'application/json', text, this.givenStatus ?? 200);
  }

  /** Send text or bytes as they are: `text/plain` or `application/octet-stream` unless `type()` said otherwise. */
  send(body: string | Uint8Array): void {
    const type = typeof body === 'string' ? TYPES.text : TYPES.bytes;
    this.#finish(this.givenType ?? type ?? '', body, this.givenStatus ?? 200);
  }

  /**
   * Send what a stream, an iterator or a Blob yields, as fast as the client reads it. Rejects with the error that the
   * source throws: before its first piece nothing has been sent, after it the response is cut off. A client that goes away
   * ends the source. The head waits for the first piece, except that of an event stream.
   */
  stream(body: StreamBody): Promise<void> {
    const type = this.givenType ?? ((body instanceof Blob && body.type) || TYPES.bytes);
    const length = body instanceof Blob ? body.size : this.givenLength;
    return this.#startStreaming(this.givenStatus ?? 200, type, length, body);
  }

  /** Send a web Response, with the headers that were set here beside its own. */
  async respond(response: Response): Promise<void> {
    for (const [name, value] of headersOf(response)) this.header(name, value);
    const { status, body } = response;
    this.status(status);
    if (body) await this.#startStreaming(status, this.givenType, this.givenLength, body);
    else this.#finish(this.givenType, '', status);
  }

  /**
   * Leave the connection to another protocol (RFC 9110 §7.8): nothing can be sent here any more. Resolves, when functions that
   * `beforeHead` was given have run, with the headers that were set: names and values in turn.
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

  /** Send the head alone: the status that was set, or 204. */
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
    // It is awaited by the function that answers the request, but perhaps not before it has failed.
    this.#writing?.catch(() => {});
    return this.#writing;
  }

  /** A handler need not await it: `settled` is awaited by the function that answers the request. */
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

  /** Internal: called where nothing has been sent, and another response is to be. */
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

  /** Whether a response of this status has no body: by its status, or because the client has it. */
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
      // Unlike the others, a 205 says that it has no body by its length (RFC 9110 §15.3.6).
      if (status === 205) this.#write(undefined, '', status);
      else this.#io.writeEmpty(this.raw, bare, this.finalHeaders(this.givenHeaders ?? []));
    };
    if (this.beforeHeadCallbacks) this.beforeHeadCallbacks.runThenSend(send);
    else send();
  }

  #begin(): void {
    if (this.sent) throw sentAlready();
    this.#sent = true;
    // Another response takes the place of a stream that failed.
    this.#streaming = undefined;
  }
}
