import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Project } from '../../kernel/index.js';
import type { Exchange, RequestObserver } from '../http/index.js';
import { AccessFields } from './access-fields.js';
import { type IsSecret, redactedQuery } from './redaction.js';

/** Routes that are asked every few seconds, and say nothing of visitors. */
const UNSEEN_KIND = 'health';
/** The status of a request whose client went away before a response was begun, as nginx logs it. */
const CLIENT_GONE = 499;
/** The status of a handshake that was accepted. */
const SWITCHING = 101;
/** The longest path and `User-Agent` that are written, in characters. */
const MAX_TEXT = 2_000;

/** Requests that opened a socket which is open, with how they are told. */
const opened = new WeakMap<IncomingMessage, (more: object, doing: string) => void>();

/** A socket that has ended, as the channel `fwk.socket.close` has it. */
interface ClosedSocket {
  readonly raw: IncomingMessage;
  readonly duration: number;
  readonly received: number;
  readonly sent: number;
  readonly closing?: { readonly code?: number };
}

/** Writes a line for each request that is answered. */
export function accessLog({ logger }: Project, isSecret: IsSecret): RequestObserver {
  return (exchange) => {
    if (exchange.isInside) return undefined;
    return () => {
      const { raw, route } = exchange;
      if (route?.kind === UNSEEN_KIND) return;
      const status = exchange.status ?? CLIENT_GONE;
      const [text, fields] = describe(exchange, isSecret);
      const write = (more: object, doing: string): void =>
        logger.info(
          new AccessFields({ ...fields, status, ...more, ...exchange.notes }),
          `${text} ${doing}${status}`,
        );
      if (status !== SWITCHING) {
        return write({ duration: rounded(exchange.duration), aborted: exchange.isAborted || undefined }, '');
      }
      opened.set(raw, write);
      write({ duration: rounded(exchange.duration) }, 'opened ');
    };
  };
}

/** Have a line written when a socket ends whose opening was. Returns a function that stops it. */
export function logClosedSockets(): () => void {
  const write = (message: unknown): void => {
    const { raw, duration, received, sent, closing } = message as ClosedSocket;
    const how = opened.get(raw);
    // The version before may listen, too.
    opened.delete(raw);
    how?.({ duration: rounded(duration), received, sent, closeCode: closing?.code }, 'closed ');
  };
  subscribe('fwk.socket.close', write);
  return () => void unsubscribe('fwk.socket.close', write);
}

/** What is known of a request when it begins, and the beginning of its line for people. */
function describe({ raw, target, route, ip, id, traceId }: Exchange, isSecret: IsSecret): [string, object] {
  const mark = target.indexOf('?');
  const path =
    mark === -1 ? target : `${target.slice(0, mark)}?${redactedQuery(target.slice(mark + 1), isSecret)}`;
  const userAgent = raw.headers['user-agent'];
  const [method, shown] = [raw.method ?? 'GET', cut(path)];
  return [
    `${method} ${shown}`,
    {
      method,
      path: shown,
      route: route?.label,
      ip,
      requestId: id,
      traceId,
      userAgent: userAgent && cut(userAgent),
    },
  ];
}

const cut = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`);
const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;
