import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Project } from '../../../kernel/index.js';
import { logSafely } from '../errors/log-safely.js';
import type { RouteInfo } from '../request/route-info.js';

/** Channels of `node:diagnostics_channel`; the message of both is the `Exchange`. */
export const REQUEST_START = channel('fwk.request.start');
export const REQUEST_END = channel('fwk.request.end');

/** One request that is watched, from when its head has come until its response is out, or its client gone. */
export class Exchange {
  /** The route that answers; undefined where none does, as for files of `public/`, and until it is found. */
  route: RouteInfo | undefined;
  /** What was thrown and became a 500. */
  error: unknown;
  /** When its head had come, by `performance.now()`. */
  readonly startedAt = performance.now();
  #endedAt: number | undefined;

  constructor(
    /** Node's own request. */
    readonly raw: IncomingMessage,
    /** Node's own response. */
    readonly out: ServerResponse,
    /** Whether the app sent it to itself: it is a part of another request. */
    readonly isInside: boolean,
  ) {}

  /** The status that was sent; undefined where the connection ended before. */
  get status(): number | undefined {
    return this.out.headersSent ? this.out.statusCode : undefined;
  }

  /** Whether the connection ended before the whole response was with the system. */
  get isAborted(): boolean {
    return this.#endedAt !== undefined && !this.out.writableFinished;
  }

  /** Milliseconds since it began; when it has ended, until then. */
  get duration(): number {
    return (this.#endedAt ?? performance.now()) - this.startedAt;
  }

  /** Internal: called when the response has REQUEST_END. */
  static end(exchange: Exchange): void {
    exchange.#endedAt = performance.now();
  }
}

/** Called when a request begins. What it returns, if anything, is called when it has REQUEST_END. */
export type RequestObserver = (exchange: Exchange) => (() => void) | undefined;

export const observersOf = (project: Project): RequestObserver[] =>
  project.slot<RequestObserver[]>('http.observers', () => []);

/**
 * Have `observe` called with every request that this version of the project is asked: what routes answer, 404 and 405, refused
 * bodies, files of `public/`, handshakes of WebSockets, MCP. Call this while resolving, or in a `serve` tap of a stage before
 * `Stage.finish`. Where nobody observes, requests take no longer for it. What it throws is logged, and changes nothing.
 */
export function observeRequests(project: Project, observe: RequestObserver): void {
  observersOf(project).push(observe);
}

/** Requests that are watched. One that a version has passed on to another is watched once. */
const exchanges = new WeakMap<ServerResponse, Exchange>();

/** The exchange of a response; undefined where nobody observes it. */
export const exchangeOf = (out: ServerResponse): Exchange | undefined => exchanges.get(out);

/** Begins to watch a request. */
export type Watch = (raw: IncomingMessage, out: ServerResponse) => Exchange;

/** The watch over requests of a version. `isInside`: those that it sends to itself. */
export function watchFor(project: Project, isInside: boolean): Watch {
  const observers = observersOf(project);
  const { logger } = project;
  return (raw, out) => {
    const known = exchanges.get(out);
    if (known) return known;
    const exchange = new Exchange(raw, out, isInside);
    exchanges.set(out, exchange);
    const guard = <T>(act: () => T): T | undefined => {
      try {
        return act();
      } catch (thrown) {
        logSafely(logger, 'error', 'An observer of requests failed:', thrown);
        return undefined;
      }
    };
    const ends = observers.map((observe) => guard(() => observe(exchange)));
    if (REQUEST_START.hasSubscribers) REQUEST_START.publish(exchange);
    out.once('close', () => {
      Exchange.end(exchange);
      for (const end of ends) if (end) guard(end);
      if (REQUEST_END.hasSubscribers) REQUEST_END.publish(exchange);
    });
    return exchange;
  };
}
