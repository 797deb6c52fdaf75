import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Project } from '../../../../kernel/index.js';
import { clientAddress, type TrustProxy } from '../../request/forwarded.js';
import { notesOf, requestId, traceIdOf } from '../../request/request-id.js';
import type { RouteInfo } from '../../request/route-info.js';
import { originalTargetOf } from '../../request/target.js';

export { noteRequest } from '../../request/request-id.js';

/** One request that is watched, from when its head has come until its response is out, or its client gone. */
export class Exchange {
  /** The route that answers; undefined where none does, as for files of `public/`, and until it is found. */
  route: RouteInfo | undefined;
  /** What was thrown and became a 500. */
  error: unknown;
  /** When its head had come, by `performance.now()`. */
  readonly startedAt = performance.now();
  /** The client's address, as `req.ip`; a connection that has ended has none any more. */
  readonly ip: string;
  #ended:
    | { readonly at: number; readonly status: number | undefined; readonly isAborted: boolean }
    | undefined;
  #onEnd: (() => void) | undefined;

  constructor(
    /** Node's own request. */
    readonly raw: IncomingMessage,
    /** Node's own response. */
    readonly out: ServerResponse,
    /** Whether the app sent it to itself: it is a part of another request. */
    readonly isInside: boolean,
    trustProxy: TrustProxy,
  ) {
    this.ip = clientAddress(raw, trustProxy);
  }

  /** The id of the request, as `req.id`. */
  get id(): string {
    return requestId(this.raw);
  }

  /** The id of the trace that the request is a part of, as `req.traceId`. */
  get traceId(): string | undefined {
    return traceIdOf(this.raw);
  }

  /**
   * The request target, without the origin that it may have: path and query string. The whole one, as the client sent it, where
   * Express or Connect has cut off what the app is mounted at.
   */
  get target(): string {
    return originalTargetOf(this.raw);
  }

  /** What plugins have noted of the request, for logs. */
  get notes(): Readonly<Record<string, unknown>> | undefined {
    return notesOf(this.raw);
  }

  /** The status that was sent; undefined where the connection ended before. 101 where a WebSocket was accepted. */
  get status(): number | undefined {
    if (this.#ended) return this.#ended.status;
    return this.out.headersSent ? this.out.statusCode : undefined;
  }

  /** Whether the connection ended before the whole response was with the system. */
  get isAborted(): boolean {
    return this.#ended?.isAborted === true;
  }

  /** Milliseconds since it began; when it has ended, until then. A WebSocket ends it when it is accepted. */
  get duration(): number {
    return (this.#ended?.at ?? performance.now()) - this.startedAt;
  }

  /** Internal: have `onEnd` called when it has ended, once. */
  static onEnd(exchange: Exchange, onEnd: () => void): void {
    exchange.#onEnd = onEnd;
  }

  /** Internal: called when the response has ended, or `upgraded` made it a connection of another protocol. */
  static end(exchange: Exchange, upgraded: boolean): void {
    const onEnd = exchange.#onEnd;
    if (!onEnd) return;
    exchange.#onEnd = undefined;
    const { out, status } = exchange;
    exchange.#ended = {
      at: performance.now(),
      status: upgraded ? 101 : status,
      isAborted: !upgraded && !out.writableFinished,
    };
    onEnd();
  }
}

/** What was thrown while a request was answered, and not on purpose: it became a 500. */
export interface RequestFailure {
  readonly error: unknown;
  /** Node's own request. */
  readonly raw: IncomingMessage;
  readonly route: RouteInfo;
}

/** Called when a request begins. What it returns, if anything, is called when it has ended. */
export type RequestObserver = (exchange: Exchange) => (() => void) | undefined;

/** Called when a request begins, with a function that has it answered: call that at once. */
export type RequestWrapper = (exchange: Exchange, answer: () => void) => void;

/** Those who watch the requests of a version. */
interface Watchers {
  readonly observers: RequestObserver[];
  readonly wrappers: RequestWrapper[];
}

/** Internal. */
export const watchersOf = (project: Project): Watchers =>
  project.slot<Watchers>('http.watchers', () => ({ observers: [], wrappers: [] }));

/**
 * Have `observe` called with every request that this version of the project is asked: what routes answer, 404 and 405, refused
 * bodies, files of `public/`, handshakes of WebSockets, MCP. Call this while resolving, or in a `serve` tap of a stage before
 * `Stage.finish`. Where nobody observes, requests take no longer for it. What it throws is logged, and changes nothing.
 */
export function observeRequests(project: Project, observe: RequestObserver): void {
  watchersOf(project).observers.push(observe);
}

/**
 * Have every request answered inside of `wrap`, for an asynchronous context in which all that answers it runs, as a trace is:
 * reading its body, layers, handlers, what is logged of it. Those that were given first are outermost; observers run inside
 * of all. Call it when `observeRequests` may be called. What it throws is logged; the request is answered once whatever it does.
 */
export function wrapRequests(project: Project, wrap: RequestWrapper): void {
  watchersOf(project).wrappers.push(wrap);
}
