import { AsyncResource } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { clearTimeout, setTimeout } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, coded, Deferred, isThenable, type Timer } from '../../kernel/index.js';
import type { RuntimeCtx } from '../../scope/index.js';
import type { HttpRequest, HttpResponse, RoutePath } from '../http/index.js';
import {
  arrivalOf,
  CheckedSending,
  endArrival,
  type Handover,
  isEndOf,
  rejectEnded,
} from '../http/internal.js';
import type { EventCheck, EventFields, Events, EventsHandler } from './events.js';

export interface StreamSettings {
  /** The interval of comments that keep proxies from closing idle streams, in milliseconds; 0: none. */
  readonly heartbeat: number;
  readonly backpressureLimit: number;
  /** Called when a client was disconnected because it reads too slowly, with the number of buffered bytes. */
  readonly onSlow: (waiting: number) => void;
  readonly clock: Clock;
}

/**
 * How long the head waits for a first event, in milliseconds: until then an error can be answered
 * with its status code. A client only counts as connected after it has received the head. Doesn't
 * use the global timers, which a test may have replaced.
 */
const HEAD_DELAY_MS = 100;

const DONE = Promise.resolve();
/** Number of characters that are joined into one piece while the client does not read. */
const MAX_PIECE_LENGTH = 16_384;

export class Stream {
  readonly #source: Readable;
  readonly #end = new StreamEnd();
  #timer: Timer | undefined;
  /** Text that is joined into one piece: a piece for each event would cost more than its text. */
  #buffer = '';
  /** Whether the source accepts more data. */
  #hasRoom = true;
  /** Whether the waiting text becomes a piece at the end of this turn of the event loop. */
  #isDue = false;
  /** Whether the handler is running. */
  #isRunning = false;
  #sending: Promise<void> | undefined;
  #failure: { readonly thrown: unknown } | undefined;
  /** The id of the last event that the client has received, or will receive. */
  #lastId: string | undefined;
  /** Whether another process continues the stream, or is about to. */
  #isMoving = false;
  /** What the connection had received when the request arrived. If there is more, a next request has begun. */
  readonly #bytesRead: number;
  /** What it had sent. Less, and even below zero, if other processes have sent a part of the response. */
  readonly #bytesWritten: number;
  /** Resolves when there is room for more: one promise for all callers, most of which do not await it. */
  #room: Deferred | undefined;

  constructor(
    private readonly req: HttpRequest,
    private readonly res: HttpResponse,
    private readonly settings: StreamSettings,
  ) {
    this.#source = new Readable({ read: () => this.#read() });
    // Without `no-transform`, for proxies that compress. The last header stops nginx from buffering.
    res.type('text/event-stream').header('Cache-Control', 'no-cache').header('X-Accel-Buffering', 'no');
    this.#lastId = req.header('last-event-id');
    this.#bytesRead = req.raw.socket.bytesRead;
    this.#bytesWritten = req.raw.socket.bytesWritten - (arrivalOf(req.raw)?.sent ?? 0);
    endArrival(req.raw);
    if (res.raw.closed) this.end();
    else res.raw.once('close', () => this.end());
  }

  async begin(): Promise<void> {
    this.#sending ??= this.res.stream(this.#source);
    await this.#sending;
  }

  /** Run the handler, and resolve when the stream has ended. Rejects if the handler throws. */
  async feed<Path extends RoutePath>(
    handler: EventsHandler<Path>,
    req: HttpRequest<Path>,
    ctx: RuntimeCtx,
    check?: EventCheck,
  ): Promise<void> {
    const checked = check && new CheckedSending((failure) => this.#fail(failure));
    const patience = setTimeout(() => this.#start(), HEAD_DELAY_MS);
    const { heartbeat } = this.settings;
    // Nothing would stop the timer of a stream that has already ended.
    if (heartbeat > 0 && !this.#end.hasCome)
      this.#timer = this.settings.clock.setInterval(() => void this.write(': \n\n'), heartbeat);
    try {
      this.#isRunning = true;
      const tools = this.#tools(req, ctx, check, checked);
      const result = handler(tools);
      const stop: unknown = isThenable(result) ? await result : result;
      if (isAsyncIterable(stop)) await this.#relay(stop, tools.send);
      this.#isRunning = false;
      if (typeof stop === 'function') {
        this.#start();
        await this.#end.wait();
        await stop();
      }
      await checked?.settled();
      if (this.#failure) throw this.#failure.thrown;
      this.end();
      await this.begin();
    } catch (thrown) {
      if (this.#isEndedBy(thrown)) return await this.begin();
      await this.#breakOff(thrown);
      throw thrown;
    } finally {
      this.#isRunning = false;
      clearTimeout(patience);
      this.end();
    }
  }

  /** Send the values of a generator as events. It is returned when the stream ends. */
  async #relay(values: AsyncIterable<unknown>, send: (value: unknown) => Promise<void>): Promise<void> {
    const iterator = values[Symbol.asyncIterator]();
    this.#end.onCome(() => {
      // A failure is thrown by the loop, too.
      iterator.return?.()?.then(undefined, () => {});
    });
    for await (const value of { [Symbol.asyncIterator]: () => iterator }) await send(value);
  }

  /** Whether the handler failed only because the stream has ended. */
  #isEndedBy(thrown: unknown): boolean {
    return this.#end.hasCome && !this.#failure && isEndOf(thrown, [this.#end.signal]);
  }

  /** Have another process continue the response with the events after the last id. Resolves with whether one does. */
  async move(handover: Handover): Promise<boolean> {
    const { socket } = this.req.raw;
    if (this.#lastId === undefined || this.#failure || socket.bytesRead !== this.#bytesRead) return false;
    this.#isMoving = true;
    this.settings.clock.clear(this.#timer);
    this.#flush();
    const waiting = () => this.#source.readableLength + this.res.raw.writableLength;
    const changes = { 'last-event-id': this.#lastId };
    return handover.moveResponse(this.res.raw, changes, waiting, this.#bytesWritten);
  }

  end(): void {
    if (this.#end.hasCome) return;
    this.settings.clock.clear(this.#timer);
    this.#flush();
    this.#source.push(null);
    this.#end.come();
    this.#makeRoom();
  }

  /** Disconnect a client with too much buffered data: the regular end would have to wait for all of it. */
  #isCutOff(): boolean {
    const { raw } = this.res;
    const waiting = this.#buffer.length + this.#source.readableLength + raw.writableLength;
    if (waiting <= this.settings.backpressureLimit) return false;
    this.end();
    if (raw.headersSent) raw.flushHeaders();
    raw.destroy();
    this.settings.onSlow(waiting);
    return true;
  }

  /** Break the response off, so that the client knows that events are missing. */
  async #breakOff(thrown: unknown): Promise<void> {
    if (!this.#sending) return;
    // This sends the earlier events first.
    this.#flush();
    await nextTurn();
    this.#source.destroy(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }

  /** An event did not match its schema. The handler may ignore the promise, or may be done. */
  #fail(thrown: unknown): void {
    this.#failure ??= { thrown };
    void this.#breakOff(thrown).then(() => this.end());
  }

  #start(): void {
    // The failure becomes the response.
    if (this.#failure) return;
    // `begin` reports a failure.
    if (this.#sending === undefined) this.begin().catch(() => {});
  }

  readonly #flushDue = (): void => {
    this.#isDue = false;
    if (this.#hasRoom) this.#flush();
  };

  #flush(): void {
    if (this.#buffer === '') return;
    this.#timer?.refresh();
    this.#hasRoom = this.#source.push(this.#buffer);
    this.#buffer = '';
  }

  #read(): void {
    this.#hasRoom = true;
    this.#flush();
    if (this.#hasRoom) this.#makeRoom();
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  write(text: string): Promise<void> {
    // Both let the event loop run: otherwise a loop that only sends would block the process.
    if (this.#end.hasCome) return this.#isRunning ? rejectEnded() : nextTurn();
    // Another process sends it again, because its id is not the last one.
    if (this.#failure || this.#isMoving) return nextTurn();
    this.#start();
    this.#buffer += text;
    if (this.#buffer.length >= MAX_PIECE_LENGTH) this.#flush();
    else if (this.#hasRoom && !this.#isDue) {
      // A loop that sends continues before that: its events become one piece.
      this.#isDue = true;
      process.nextTick(this.#flushDue);
    }
    if (this.#hasRoom || this.#isCutOff()) return DONE;
    this.#room ??= new Deferred();
    return this.#room.promise;
  }

  #tools<Path extends RoutePath>(
    req: HttpRequest<Path>,
    ctx: RuntimeCtx,
    check: EventCheck | undefined,
    checked: CheckedSending | undefined,
  ): Events<Path> {
    const write = (text: string, { id }: EventFields) => {
      if (id !== undefined && !this.#isMoving) this.#lastId = String(id);
      return this.write(text);
    };
    const emitChecked = (event: string | undefined, data: unknown, fields: EventFields) =>
      checked?.put(
        () => check?.(event ?? 'message', data),
        (value) => write(jsonEventText(event, value, fields), fields),
      ) ?? DONE;
    const emit = (event: string | undefined, data: unknown, fields: EventFields = {}) =>
      checked ? emitChecked(event, data, fields) : write(eventText(event, data, fields), fields);
    const end = this.#end;
    return {
      req,
      ctx,
      res: this.res,
      params: req.params,
      lastEventId: this.req.header('last-event-id'),
      get signal() {
        return end.signal;
      },
      send: (data, fields) => emit(undefined, data, fields),
      emit,
      comment: (text) => this.write(commentText(text)),
      close: () => {
        if (checked)
          checked.put(
            () => undefined,
            () => void this.end(),
          );
        else this.end();
      },
    };
  }
}

class StreamEnd {
  #hasCome = false;
  readonly #waiting: (() => void)[] = [];
  #signal: AbortSignal | undefined;

  get hasCome(): boolean {
    return this.#hasCome;
  }

  come(): void {
    this.#hasCome = true;
    for (const act of this.#waiting) act();
  }

  /** Call `act` when the stream ends. */
  onCome(act: () => void): void {
    if (this.#hasCome) act();
    else this.#waiting.push(act);
  }

  /** Resolves when the stream has ended. */
  async wait(): Promise<void> {
    if (!this.#hasCome) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Aborts when the stream ends. Creating it takes as long as some events, and few handlers read it. */
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    const abort = new AbortController();
    if (this.#hasCome) abort.abort();
    // The end is not signaled in the asynchronous context of the request (its trace, its
    // AsyncLocalStorage), so the context is restored.
    else this.#waiting.push(AsyncResource.bind(() => abort.abort()));
    this.#signal = abort.signal;
    return abort.signal;
  }
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** The text of one event (WHATWG HTML §9.2.5). Throws TypeError if it would parse differently. */
function eventText(event: string | undefined, data: unknown, { id, retry }: EventFields): string {
  // JSON is one line.
  const text = typeof data === 'string' ? continued(data, '\ndata: ') : JSON.stringify(data);
  if (text === undefined)
    throw coded('FWK410', `an event's data must be text or a JSON value, not a value of type ${typeof data}`);
  if (event !== undefined && /[\r\n]/.test(event))
    throw coded('FWK504', `an event's name must be one line, not ${JSON.stringify(event)}`);
  // A client ignores an ID that contains NUL, and would request the same events again.
  if (id !== undefined && /[\r\n\0]/.test(id))
    throw coded('FWK504', `an event's id must be one line without NUL, not ${JSON.stringify(id)}`);
  if (retry !== undefined && !(Number.isSafeInteger(retry) && retry >= 0))
    throw coded('FWK504', `retry must be a whole number of milliseconds, not ${String(retry)}`);
  let fields = event === undefined ? '' : `event: ${event}\n`;
  if (id !== undefined) fields += `id: ${id}\n`;
  if (retry !== undefined) fields += `retry: ${retry}\n`;
  return `${fields}data: ${text}\n\n`;
}

/** Like `eventText`, but text becomes JSON too: clients of checked events parse all data. */
const jsonEventText = (event: string | undefined, data: unknown, fields: EventFields): string =>
  eventText(event, typeof data === 'string' ? JSON.stringify(data) : data, fields);

const commentText = (text: string): string => `: ${continued(text, '\n: ')}\n\n`;

/** `text` with `prefix` for its newlines: CRLF, CR or LF end a line here. Most texts have none. */
const continued = (text: string, prefix: string): string =>
  /[\r\n]/.test(text) ? text.replace(/\r\n|\r|\n/g, () => prefix) : text;
