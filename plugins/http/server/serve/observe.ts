import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Project, slotKey } from '../../../../kernel/index.js';
import { logSafely } from '../../../../scope/index.js';
import { Exchange, exchangeOf, REQUEST_END, REQUEST_START, setExchange } from '../../request/exchange.js';
import type { TrustProxy } from '../../request/forwarded.js';

/** Called when a request begins. What it returns, if anything, is called when it has ended. */
export type RequestObserver = (exchange: Exchange) => (() => void) | undefined;

const OBSERVERS = slotKey<RequestObserver[]>('http.observers');

const observersOf = (project: Project): RequestObserver[] => project.slot(OBSERVERS, () => []);

/**
 * Have `observe` called with every request that this version of the project gets: requests that routes answer, 404 and 405, refused
 * bodies, files of `public/`, handshakes of WebSockets, MCP. Observers run inside of all `around` functions. Call this while
 * resolving, or in a `serve` tap of a stage before `Stage.finish`. If nobody observes, requests take no longer. What an observer
 * throws is logged, and changes nothing.
 */
export function observeRequests(project: Project, observe: RequestObserver): void {
  observersOf(project).push(observe);
}

export const isObserved = (project: Project): boolean => observersOf(project).length > 0;

/**
 * Begins to observe a request, and returns its exchange. Called again for the same request, by another version to which it was
 * passed on, it returns the exchange that has begun.
 */
export type Observe = (raw: IncomingMessage, out: ServerResponse) => Exchange;

/** Begins exchanges for the observers of a version. `fromInside`: for requests that the app sends to itself. */
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
    const exchange = new Exchange(raw, out, fromInside, trustProxy);
    setExchange(exchange);
    const ended = observers.map((observe) => guard(() => observe(exchange)));
    if (REQUEST_START.hasSubscribers) REQUEST_START.publish(exchange);
    Exchange.onEnd(exchange, () => {
      for (const end of ended) if (end) guard(end);
      if (REQUEST_END.hasSubscribers) REQUEST_END.publish(exchange);
    });
    out.once('close', () => Exchange.end(exchange, false));
    return exchange;
  };
}
