import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LogLevel } from '../../kernel/index.js';
import type { Exchange } from '../http/index.js';
import { StoredBody } from './bodies.js';
import type { Failure } from './failure.js';

/** Maximum bytes of one body that are stored. */
const MAX_BODY_BYTES = 65_536;
const MAX_LAYERS = 60;
const MAX_LINES = 50;

/** The time of one layer, in milliseconds since the request began. */
export interface LayerTime {
  readonly name: string;
  readonly from: number;
  /** Undefined while it runs. */
  to: number | undefined;
}

export interface LogLine {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly level: LogLevel;
  readonly text: string;
}

export const recordOf = (raw: IncomingMessage): RequestRecord | undefined => records.get(raw);

const records = new WeakMap<IncomingMessage, RequestRecord>();

/** Node's internal copy of the response head, with all headers however they were written. */
interface Internals {
  readonly _header?: string | null;
}

export class RequestRecord {
  /** Milliseconds since the Unix epoch. */
  readonly at = Date.now();
  readonly method: string;
  readonly target: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly ip: string;
  /** The remote port of the connection. */
  readonly clientPort: number | undefined;
  readonly body = new StoredBody(MAX_BODY_BYTES);
  readonly answer = new StoredBody(MAX_BODY_BYTES);
  readonly layers: LayerTime[] = [];
  readonly lines: LogLine[] = [];
  /** The number of log lines; only the first lines are stored. */
  logged = 0;
  /** Updates the fields below during a request: it may be a stream, or never be answered. */
  update: () => void = () => {};
  route: string | undefined;
  file: string | undefined;
  status: number | undefined;
  /** Alternating names and values. */
  answerHeaders: readonly string[] = [];
  failure: Failure | undefined;
  isAborted = false;
  /** In milliseconds; undefined until the request has ended. */
  duration: number | undefined;
  readonly #startedAt: number;
  #isComplete = false;

  constructor(
    readonly id: number,
    exchange: Exchange,
  ) {
    const { raw } = exchange;
    this.method = raw.method ?? 'GET';
    this.target = exchange.target;
    this.headers = raw.rawHeaders;
    this.ip = exchange.ip;
    this.clientPort = raw.socket.remotePort;
    this.#startedAt = exchange.startedAt;
    records.set(raw, this);
  }

  get size(): number {
    return this.body.size + this.answer.size + this.lines.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** Whether the request can be sent again, because its body is complete. */
  get isRepeatable(): boolean {
    return this.body.isComplete && !this.hasUnrecordedBody;
  }

  /** Whether the request has a body that was not recorded: it is read as a stream, or not at all. */
  get hasUnrecordedBody(): boolean {
    const isAnnounced = this.headers.some((name, at) => at % 2 === 0 && BODY.test(name));
    return isAnnounced && this.body.total === 0 && !this.#isEmpty();
  }

  enter(name: string): () => void {
    if (this.layers.length === MAX_LAYERS) return () => {};
    const layer: LayerTime = { name, from: performance.now() - this.#startedAt, to: undefined };
    this.layers.push(layer);
    return () => {
      layer.to ??= performance.now() - this.#startedAt;
    };
  }

  log(level: LogLevel, textOf: () => string): void {
    this.logged += 1;
    if (this.lines.length < MAX_LINES) this.lines.push({ at: Date.now(), level, text: textOf() });
  }

  keepSent(body: string | Uint8Array): void {
    this.#isComplete = true;
    this.answer.add(body);
  }

  keepPiece(piece: string | Uint8Array): void {
    if (!this.#isComplete) this.answer.add(piece);
  }

  /** Record the current state of the response. */
  take({ status, route, out }: Exchange, fileOf: (file: string) => string): void {
    this.status = status;
    this.route = route?.label;
    this.file = route?.file && fileOf(route.file);
    this.answerHeaders = headersOf(out);
  }

  end({ duration, isAborted }: Exchange): void {
    this.duration = duration;
    this.isAborted = isAborted;
    this.update = () => {};
  }

  drop(): void {
    this.body.drop();
    this.answer.drop();
    this.lines.length = 0;
  }

  #isEmpty(): boolean {
    return this.headers.some((name, at) => /^content-length$/i.test(name) && this.headers[at + 1] === '0');
  }
}

const BODY = /^(?:content-length|transfer-encoding)$/i;

function headersOf(out: ServerResponse & Internals): readonly string[] {
  const [, ...rows] = (out._header ?? '').split('\r\n');
  return rows.flatMap((row) => {
    const colon = row.indexOf(':');
    return colon === -1 ? [] : [row.slice(0, colon), row.slice(colon + 1).trim()];
  });
}
