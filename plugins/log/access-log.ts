import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { isThenable, type Logger, logSafely, type Project } from '../../kernel/index.js';
import type { Exchange, RequestObserver } from '../http/index.js';
import { type AccessLine, RequestFields } from './access-fields.js';
import { logAccess } from './log-access.js';
import type { AccessOptions } from './options.js';
import { type IsSecret, redactedQuery } from './redaction.js';
import { SentBytes } from './sent-bytes.js';

/** Routes that are asked every few seconds, and say nothing of visitors. */
const UNSEEN_KIND = 'health';
/** The status of a request whose client went away before a response was begun, as nginx logs it. */
const CLIENT_GONE = 499;
/** The status of a handshake that was accepted. */
const SWITCHING = 101;
/** The longest path, `User-Agent` and `Referer` that are written, in characters. */
const MAX_TEXT = 2_000;

/** Requests that opened a socket which is open, with what writes that it has ended. */
const opened = new WeakMap<IncomingMessage, (duration: number, more: object) => void>();

/** A socket that has ended, as the channel `fwk.socket.close` has it. */
interface ClosedSocket {
  readonly raw: IncomingMessage;
  readonly duration: number;
  readonly received: number;
  readonly sent: number;
  readonly closing?: { readonly code?: number };
}

/** Writes a line for each request that is answered. */
export function accessLog({ logger }: Project, isSecret: IsSecret, { skip }: AccessOptions): RequestObserver {
  const isSkipped = skip && skipper(skip, logger);
  const write = (
    exchange: Exchange,
    doing: string,
    bytes: number | undefined,
    duration: number,
    more?: object,
  ): void => {
    const { notes, status = CLIENT_GONE } = exchange;
    const { 'user-agent': agent, referer } = exchange.raw.headers;
    const path = shownPath(exchange.target, isSecret);
    const from = referer && shownPath(referer, isSecret);
    const fields = new RequestFields(exchange, path, agent && cut(agent), from, status, bytes, duration);
    if (more !== undefined || notes !== undefined) Object.assign(fields, more, notes);
    if (isSkipped?.(fields)) return;
    logAccess(logger, fields, `${fields.method} ${path} ${doing}${status}`);
  };
  return (exchange) => {
    if (exchange.isInside) return undefined;
    const sent = new SentBytes(exchange.out);
    return () => {
      const { raw, route, status, duration } = exchange;
      const bytes = sent.end();
      if (route?.kind === UNSEEN_KIND) return;
      if (status !== SWITCHING) return write(exchange, '', bytes, duration);
      opened.set(raw, (lasted, more) => write(exchange, 'closed ', undefined, lasted, more));
      write(exchange, 'opened ', undefined, duration);
    };
  };
}

/** Whether a project's own function has a line left out. What that throws, or rejects with, is logged, and the line written. */
function skipper(skip: (line: AccessLine) => unknown, logger: Logger): (line: AccessLine) => boolean {
  const fail = (thrown: unknown): void => logSafely(logger, 'error', 'log.access.skip failed', thrown);
  return (line) => {
    try {
      const answer = skip(line);
      if (isThenable(answer)) Promise.resolve(answer).catch(fail);
      return answer === true;
    } catch (thrown) {
      fail(thrown);
      return false;
    }
  };
}

/** Have a line written when a socket ends whose opening was. Returns a function that stops it. */
export function logClosedSockets(): () => void {
  const write = (message: unknown): void => {
    const { raw, duration, received, sent, closing } = message as ClosedSocket;
    const how = opened.get(raw);
    // The version before may listen, too.
    opened.delete(raw);
    how?.(duration, { received, sent, closeCode: closing?.code });
  };
  subscribe('fwk.socket.close', write);
  return () => void unsubscribe('fwk.socket.close', write);
}

/** The path and the query string, without the values of secrets. */
function shownPath(target: string, isSecret: IsSecret): string {
  const mark = target.indexOf('?');
  if (mark === -1) return cut(target);
  return cut(`${target.slice(0, mark)}?${redactedQuery(target.slice(mark + 1), isSecret)}`);
}

const cut = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`);
