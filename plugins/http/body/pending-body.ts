import type { IncomingMessage, ServerResponse } from 'node:http';
import { isThenable } from '../../../kernel/index.js';
import { CLIENT_DISCONNECTED, thrownIfError } from '../request/http-error.js';
import { HttpRequest, type PendingBody } from '../request/request.js';
import type { Handler } from '../response/handler.js';
import { discardRest, lingerLater } from './discard-rest.js';

/**
 * Gets the body of one request, then calls `done` with it or with an HttpProblem; again with an HttpProblem for a stream that was
 * passed on, broke and has no listener.
 */
export type ReadBody = (
  raw: IncomingMessage,
  out: ServerResponse,
  done: (failure: unknown, body?: unknown) => void,
) => void;

/** Reads the body of a request when it is first asked for. */
export class BodyOnDemand implements PendingBody {
  isRead = false;
  value: unknown;
  readonly #raw: IncomingMessage;
  readonly #out: ServerResponse;
  readonly #read: ReadBody;
  readonly #lost: (failure: unknown) => void;
  #reading: Promise<void> | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  /** `lost` gets the HttpProblem of a stream that broke and has no listener. */
  constructor(raw: IncomingMessage, out: ServerResponse, read: ReadBody, lost: (failure: unknown) => void) {
    this.#raw = raw;
    this.#out = out;
    this.#read = read;
    this.#lost = lost;
    if (!out.shouldKeepAlive) lingerLater(raw);
    out.once('close', () => {
      this.#reject?.(CLIENT_DISCONNECTED);
      discardRest(raw);
    });
  }

  get isReading(): boolean {
    return this.#reading !== undefined && !this.isRead;
  }

  /** Begin to read, once. Rejects with an HttpProblem; a rejection that nobody handles is ignored. */
  read(): Promise<void> {
    this.#reading ??= this.#begin();
    return this.#reading;
  }

  #begin(): Promise<void> {
    const reading = new Promise<void>((resolve, reject) => {
      // Its client has left while a layer waited for something: nothing more will come, not even an end.
      if (this.#out.closed) return reject(CLIENT_DISCONNECTED);
      this.#reject = reject;
      this.#read(this.#raw, this.#out, (failure, body) => {
        if (failure !== undefined) return this.isRead ? this.#lost(failure) : reject(failure);
        this.isRead = true;
        this.value = body;
        resolve();
      });
    });
    reading.catch(() => {});
    return reading;
  }
}

/**
 * The innermost layer of a route that takes bodies: its handler runs when the body has been read, and a request that
 * a layer around it answers is not read. The HttpProblem of a bad body is thrown, where layers see it, and so is an
 * error that the handler returns.
 */
export const withBody =
  (handler: Handler): Handler =>
  (req, res, ctx) => {
    const reading = HttpRequest.whenBodyRead(req);
    const result =
      reading === undefined ? handler(req, res, ctx) : reading.then(() => handler(req, res, ctx));
    return isThenable(result) ? Promise.resolve(result).then(thrownIfError) : thrownIfError(result);
  };
