import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Project, slotKey } from '../../../../kernel/index.js';
import { logSafely } from '../../../../scope/index.js';
import {
  arrivalOf,
  Exchange,
  exchangeOf,
  REQUEST_END,
  REQUEST_START,
  setExchange,
} from '../../request/exchange.js';
import type { TrustProxy } from '../../request/project-settings.js';

/** Called when a request begins. May return a function that is called when the request has ended. */
export type RequestObserver = (exchange: Exchange) => (() => void) | undefined;

const OBSERVERS = slotKey<RequestObserver[]>('http.observers');

const observersOf = (project: Project): RequestObserver[] => project.slot(OBSERVERS, () => []);

/**
 * Call `observe` for every request to this version of the project, including 404 and 405, rejected bodies, files of
 * `public/`, WebSocket handshakes and MCP. Observers run inside all `around` functions. Call this while resolving, or in a
 * `serve` tap of a stage before `Stage.finish`. Costs nothing without observers. An error that an observer throws is logged
 * and has no other effect.
 */
export function observeRequests(project: Project, observe: RequestObserver): void {
  observersOf(project).push(observe);
}

export const isObserved = (project: Project): boolean => observersOf(project).length > 0;

/** Observes a request, and returns its exchange: the existing one if another version passed it on. */
export type Observe = (raw: IncomingMessage, out: ServerResponse) => Exchange;

/** Return the function that begins exchanges for the observers of a version. `fromInside`: for requests that the app sends to itself. */
export function exchangeStarter(project: Project, fromInside: boolean, trustProxy: TrustProxy): Observe {
  const observers = observersOf(project);
  const { logger } = project;
  const guard = <T>(act: () => T): T | undefined => {
    try {
      return act();
    } catch (thrown) {
      logSafely(logger, 'error', 'An observer of requests failed', thrown);
      return undefined;
    }
  };
  return (raw, out) => {
    const known = exchangeOf(raw);
    if (known) return known;
    // A WebSocket that another worker has handed over: that worker has observed the request.
    const isOld = arrivalOf(raw) !== undefined && raw.headers.upgrade !== undefined;
    const exchange = new Exchange(raw, out, fromInside || isOld, trustProxy);
    setExchange(exchange);
    const ended = observers.map((observe) => guard(() => observe(exchange)));
    if (REQUEST_START.hasSubscribers) REQUEST_START.publish(exchange);
    Exchange.onEnd(exchange, () => {
      for (const end of ended) if (end) guard(end);
      if (REQUEST_END.hasSubscribers) REQUEST_END.publish(exchange);
    });
    const end = (): void => Exchange.end(exchange, false);
    // The client may have disconnected already. Observers also read the route, which is set after this call.
    if (out.closed) process.nextTick(end);
    else out.once('close', end);
    return exchange;
  };
}
