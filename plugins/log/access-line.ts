import type { Logger } from '../../kernel/index.js';
import { logSafely } from '../../scope/index.js';
import type { Exchange } from '../http/index.js';

/** The fields of a line of the access log. Text output leaves them out, because the message already has them. */
export class AccessFields {
  readonly [field: string]: unknown;

  constructor(fields?: Readonly<Record<string, unknown>>) {
    if (fields) Object.assign(this, fields);
  }
}

/** What a line of the access log says of a request. */
export interface AccessLine {
  readonly method: string;
  /** Path and query string as the client sent them, without the values of secrets. */
  readonly path: string;
  /** `GET /api/users/:id`; undefined where no route answered, as for files of `public/`. */
  readonly route: string | undefined;
  /** 499 where the client went away before a response was begun, 101 of a WebSocket. */
  readonly status: number;
  /** Of the body, as they were sent: compressed, say. Undefined of a WebSocket, and where there is no connection. */
  readonly bytes: number | undefined;
  /** In milliseconds, to a tenth. */
  readonly duration: number;
  readonly aborted: true | undefined;
  readonly ip: string;
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly userAgent: string | undefined;
  /** Where the client followed a link from, without the values of secrets. */
  readonly referrer: string | undefined;
  /** Where it is not 1.1. */
  readonly httpVersion: string | undefined;
  /** What was noted of the request; of a WebSocket that has ended `received`, `sent` and `closeCode`. */
  readonly [field: string]: unknown;
}

/** Those of a request. Assigned one by one: copied from other objects, they would take longer than the text of the line. */
export class RequestFields extends AccessFields implements AccessLine {
  readonly method: string;
  readonly path: string;
  readonly route: string | undefined;
  readonly ip: string;
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly userAgent: string | undefined;
  readonly referrer: string | undefined;
  readonly httpVersion: string | undefined;
  readonly status: number;
  readonly bytes: number | undefined;
  readonly duration: number;
  readonly aborted: true | undefined;

  /** `path`, `userAgent` and `referrer`: as they are shown. `duration` in milliseconds. */
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

/** Write a line of the access log where nobody is left to hear that a project's own logger throws, or rejects. */
export function logAccess(logger: Logger, fields: AccessFields, message: string): void {
  try {
    // Its type says that it returns nothing; an asynchronous one fits that type, too.
    const logged: unknown = logger.info(fields, message);
    if (logged instanceof Promise) logged.catch((thrown) => fail(logger, thrown));
  } catch (thrown) {
    fail(logger, thrown);
  }
}

const fail = (logger: Logger, thrown: unknown): void =>
  logSafely(logger, 'error', 'A line of the access log could not be written', thrown);
