import type { Logger } from '../../kernel/index.js';
import { logSafely } from '../../scope/index.js';
import type { Exchange } from '../http/index.js';

/** The fields of a line of the access log. Text output leaves them out, because the message already has them. */
export class AccessFields {
  /** Fields added for the request; `received`, `sent`, `closeCode` for a WebSocket that has ended. */
  readonly [field: string]: unknown;

  constructor(fields?: Readonly<Record<string, unknown>>) {
    if (fields) Object.assign(this, fields);
  }
}

/** The line of a request. Its fields are assigned one by one: copying them takes longer than the line's text. */
export class AccessLine extends AccessFields {
  readonly method: string;
  /** Path and query string as the client sent them, without the values of secrets. */
  readonly path: string;
  /** `GET /api/users/:id`; undefined if no route answered, as for static files in `public/`. */
  readonly route: string | undefined;
  readonly ip: string;
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly userAgent: string | undefined;
  /** The page that linked to the URL, without the values of secrets. */
  readonly referrer: string | undefined;
  /** Set if the version is not 1.1. */
  readonly httpVersion: string | undefined;
  /** 499 if the client disconnected before the response began, 101 for a WebSocket. */
  readonly status: number;
  /** Bytes of the body as sent, for example compressed. Undefined for a WebSocket, or without a connection. */
  readonly bytes: number | undefined;
  /** In milliseconds, with one decimal. */
  readonly duration: number;
  readonly aborted: true | undefined;

  /** `path`, `userAgent` and `referrer` in the form in which they are logged. `duration` in milliseconds. */
  constructor(
    { raw, route, ip, id, traceId, isAborted }: Exchange,
    path: string,
    userAgent: string | undefined,
    referrer: string | undefined,
    status: number,
    bytes: number | undefined,
    duration: number,
  ) {
    super();
    this.method = raw.method ?? 'GET';
    this.path = path;
    this.route = route?.label;
    this.ip = ip;
    this.requestId = id;
    this.traceId = traceId;
    this.userAgent = userAgent;
    this.referrer = referrer;
    this.httpVersion = raw.httpVersion === '1.1' ? undefined : raw.httpVersion;
    this.status = status;
    this.bytes = bytes;
    this.duration = Math.round(duration * 10) / 10;
    this.aborted = isAborted || undefined;
  }
}

/** Write a line of the access log. No caller could handle a logger that throws or rejects. */
export function logAccess(logger: Logger, fields: AccessFields, message: string): void {
  try {
    // The return type is void, which also allows an asynchronous function.
    const logged: unknown = logger.info(fields, message);
    if (logged instanceof Promise) logged.catch((thrown) => fail(logger, thrown));
  } catch (thrown) {
    fail(logger, thrown);
  }
}

const fail = (logger: Logger, thrown: unknown): void =>
  logSafely(logger, 'error', 'A line of the access log could not be written', thrown);
