import type { IncomingMessage, ServerResponse } from 'node:http';
import { isThenable } from '../../../kernel/index.js';
import { CLIENT_DISCONNECTED, isHttpError } from '../request/http-error.js';
import { HttpRequest, type PendingBody } from '../request/request.js';
import { inContext } from '../response/generator.js';
import type { Handler } from '../response/handler.js';
import { discardRest, lingerLater } from './discard-rest.js';

/**
 * Reads the body of one request, then calls `done` with it or with an HttpProblem. Calls `done` again with an HttpProblem if
 * a stream that was passed on fails and has no listener.
 */
export type ReadBody = (
  raw: IncomingMessage,
  out: ServerResponse,
  done: (failure: unknown, body?: unknown) => void,
) => void;

/** Reads the body of a request on first access. */
export class BodyOnDemand implements PendingBody {
  isRead = false;
  value: unknown;
  #reading: Promise<void> | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(
    private readonly raw: IncomingMessage,
    private readonly out: ServerResponse,
    private readonly readBody: ReadBody,
    /** Receives the HttpProblem of a stream that failed and has no listener. */
    private readonly onFailure: (failure: unknown) => void,
  ) {
    if (!out.shouldKeepAlive) lingerLater(raw);
    out.once('close', () => {
      this.#reject?.(CLIENT_DISCONNECTED);
      discardRest(raw);
    });
  }

  get isReading(): boolean {
    return this.#reading !== undefined && !this.isRead;
  }

  /** Start reading; further calls return the same promise. Rejects with an HttpProblem; an unhandled rejection is ignored. */
  read(): Promise<void> {
    this.#reading ??= this.#begin();
    return this.#reading;
  }

  #begin(): Promise<void> {
    const reading = new Promise<void>((resolve, reject) => {
      // The client disconnected while a layer waited: the request emits nothing more, not even `end`.
      if (this.out.closed) return reject(CLIENT_DISCONNECTED);
      this.#reject = reject;
      this.readBody(this.raw, this.out, (failure, body) => {
        if (failure !== undefined) return this.isRead ? this.onFailure(failure) : reject(failure);
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
 * The innermost layer of a route that accepts a body. The body is read just before the handler runs, so a request that an
 * outer layer answers is never read. Throws the HttpProblem of an invalid body, and an error that the handler returns, where
 * the other layers can catch them.
 */
export const withBody =
  (handler: Handler): Handler =>
  (req, res, ctx) => {
    const reading = HttpRequest.whenBodyRead(req);
    const result =
      reading === undefined ? handler(req, res, ctx) : reading.then(() => handler(req, res, ctx));
    return isThenable(result) ? Promise.resolve(result).then(settled) : settled(result);
  };

/** Throw a result that is an error, because `return error(…)` is equivalent to `throw error(…)`. */
function settled(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result;
  if (result instanceof Error && isHttpError(result)) throw result;
  return inContext(result);
}
