import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { logSafely, type Project } from '../../../../kernel/index.js';

import type { TrustProxy } from '../../request/forwarded.js';
import { Exchange, watchersOf } from './observe.js';

/** Channels of `node:diagnostics_channel`; the message of both is the `Exchange`. */
export const REQUEST_START = channel('fwk.request.start');
export const REQUEST_END = channel('fwk.request.end');
/** Its message is a `RequestFailure`. */
export const REQUEST_ERROR = channel('fwk.request.error');

/** Whether a version of a project watches its requests. */
export function isWatched(project: Project): boolean {
  const { observers, wrappers } = watchersOf(project);
  return observers.length + wrappers.length > 0;
}

/** The exchange of a request: one that a version has passed on to another is watched once, and so is a socket that is. */
const EXCHANGE = Symbol('fwkit.exchange');

/** Not a `WeakMap`: its entries make each collection take longer. */
interface Watched extends IncomingMessage {
  [EXCHANGE]?: Exchange;
}

/** The exchange of a request; undefined where nobody watches it. */
export const exchangeOf = (raw: Watched): Exchange | undefined => raw[EXCHANGE];

/** A connection has been handed over to another protocol: its request has ended for those who watch. */
export function endUpgraded(raw: IncomingMessage): void {
  const exchange = exchangeOf(raw);
  if (exchange) Exchange.end(exchange, true);
}

/**
 * Begins to watch a request, and gives its exchange; undefined where it is answered inside of wrappers, which have called `answer`.
 * Called again for the same request, by `answer` or another version, it gives the exchange that is known.
 */
export type Watch = (
  raw: IncomingMessage,
  out: ServerResponse,
  answer: RequestListener,
) => Exchange | undefined;

/** The watch over requests of a version. `isInside`: those that it sends to itself. */
export function watchFor(project: Project, isInside: boolean, trustProxy: TrustProxy): Watch {
  const { observers, wrappers } = watchersOf(project);
  const { logger } = project;
  const guard = <T>(act: () => T): T | undefined => {
    try {
      return act();
    } catch (thrown) {
      logSafely(logger, 'error', 'An observer of requests failed', thrown);
      return undefined;
    }
  };
  const begin = (exchange: Exchange): void => {
    const { out } = exchange;
    const ended = observers.map((observe) => guard(() => observe(exchange)));
    if (REQUEST_START.hasSubscribers) REQUEST_START.publish(exchange);
    Exchange.onEnd(exchange, () => {
      for (const end of ended) if (end) guard(end);
      if (REQUEST_END.hasSubscribers) REQUEST_END.publish(exchange);
    });
    out.once('close', () => Exchange.end(exchange, false));
  };
  return (raw: Watched, out, answer) => {
    const known = raw[EXCHANGE];
    if (known) return known;
    const exchange = new Exchange(raw, out, isInside, trustProxy);
    raw[EXCHANGE] = exchange;
    const within = (depth: number): void => {
      const wrap = wrappers[depth];
      if (!wrap) {
        begin(exchange);
        return answer(raw, out);
      }
      let isAnswered = false;
      const next = (): void => {
        if (isAnswered) return;
        isAnswered = true;
        within(depth + 1);
      };
      guard(() => wrap(exchange, next));
      next();
    };
    if (wrappers.length === 0) {
      begin(exchange);
      return exchange;
    }
    within(0);
    return undefined;
  };
}
