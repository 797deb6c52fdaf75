import type { Exchange } from '../http/index.js';

/** The fields of a line of the access log, whose text says to people what they need. */
export class AccessFields {
  readonly [field: string]: unknown;

  constructor(fields?: Readonly<Record<string, unknown>>) {
    if (fields) Object.assign(this, fields);
  }
}

/** Those of a request. Assigned one by one: copied from other objects, they would take longer than the text of the line. */
export class RequestFields extends AccessFields {
  readonly method: string;
  readonly path: string;
  readonly route: string | undefined;
  readonly ip: string;
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly userAgent: string | undefined;
  readonly status: number;
  readonly duration: number;
  readonly aborted: true | undefined;

  /** `path` and `userAgent`: as they are shown. `duration` in milliseconds. */
  constructor(
    { raw, route, ip, id, traceId, isAborted }: Exchange,
    path: string,
    userAgent: string | undefined,
    status: number,
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
    this.status = status;
    this.duration = Math.round(duration * 10) / 10;
    this.aborted = isAborted || undefined;
  }
}
