import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseCookies } from 'cookie';
import { coded } from '../../../kernel/index.js';
import { logFields } from '../../../scope/index.js';
import { clientAddress, requestUrl, type TrustProxy } from './forwarded.js';
import { parseQuery, searchOf } from './query.js';
import { notesOf, requestId, traceIdOf } from './request-id.js';
import type { AnyQuery, ParamsOf, RouteInfo, RoutePath } from './route-info.js';
import { pathOf, targetOf } from './target.js';

export interface RequestSettings {
  readonly trustProxy: TrustProxy;
  readonly maxQueryKeys: number;
}

/** The body of a request that is read when it is first asked for. */
export interface PendingBody {
  readonly isRead: boolean;
  readonly value: unknown;
  /** Whether it waits for its client to send the rest. */
  readonly isReading: boolean;
  /** Begin to read, once. Rejects with an HttpProblem; a rejection that nobody handles is ignored. */
  read(): Promise<void>;
}

/** A request as handlers see it. Whatever costs time is computed when it is first read. */
export class HttpRequest<
  Path extends RoutePath = never,
  Body = unknown,
  Params = ParamsOf<Path>,
  Query = AnyQuery,
  RequestHeaders = IncomingHttpHeaders,
> {
  #body: unknown;
  /** Set where the body is read when it is asked for. */
  #pending: PendingBody | undefined;
  readonly #out: ServerResponse;
  readonly #settings: RequestSettings;
  #url: URL | undefined;
  #query: unknown;
  #cookies: Readonly<Record<string, string | undefined>> | undefined;
  #abort: AbortController | undefined;

  constructor(
    /** Node's own request. */
    readonly raw: IncomingMessage,
    out: ServerResponse,
    /** The route that answers; of the kind `none` where no route matched. */
    readonly route: RouteInfo,
    /** Values of the bracketed segments, decoded; strings unless a schema makes them something else. No prototype. */
    readonly params: Params,
    settings: RequestSettings,
  ) {
    this.#out = out;
    this.#settings = settings;
  }

  /**
   * The parsed body: JSON and form bodies as objects (files of a multipart form as `File`s), `text/*` as a string,
   * anything else as a Buffer; undefined when there is none. Unread where the route has `.meta({ body: 'stream' })`. It
   * comes from outside: check it before you trust its type. It is read when the middlewares have let the request through:
   * before that this throws, and `readBody` gets it.
   */
  get body(): Body {
    const pending = this.#pending;
    if (pending === undefined) return this.#body as Body;
    if (pending.isRead) return pending.value as Body;
    const message =
      'req.body has not been read: that comes after the middlewares. A middleware that needs it awaits req.readBody().';
    throw coded('FWK417', new Error(message));
  }

  /**
   * Read the body before the handler does, in a middleware. Resolves with `body`, parsed, as
   * often as it is called. Rejects with an HttpProblem for a bad body: 400, 413 or 415.
   */
  readBody(): Promise<Body> {
    const read = (this.#pending?.read() ?? Promise.resolve()).then(() => this.body);
    // A rejection that nobody handles would end the process.
    read.catch(() => {});
    return read;
  }

  /** Internal: called by listener.ts, which has read the body before the handler. Static, so that handlers do not see it. */
  static setBody(req: AnyRequest, body: unknown): void {
    req.#body = body;
  }

  /** Internal: called by listener.ts, where the body is read when it is first asked for. */
  static attachPendingBody(req: AnyRequest, pending: PendingBody): void {
    req.#pending = pending;
  }

  /** Internal: called by the layer `http:body`. Resolves when the body has been read; undefined where there is nothing to wait for. */
  static whenBodyRead(req: AnyRequest): Promise<void> | undefined {
    return req.#pending?.read();
  }

  /** Internal: called by the check of a schema, with what came out of it. */
  static replace(req: AnyRequest, part: 'params' | 'query' | 'headers' | 'body', value: unknown): void {
    if (part === 'body') {
      req.#pending = undefined;
      req.#body = value;
    } else if (part === 'query') req.#query = value;
    else if (part === 'headers')
      Object.defineProperty(req, part, { value, configurable: true, enumerable: true });
    else Object.assign(req, { params: value });
  }

  /** Internal: whether a body is being read that has not come to its end. */
  static isReadingBody(req: AnyRequest): boolean {
    return req.#pending?.isReading === true;
  }

  /** Internal: called when the time of a route is up. */
  static abort(req: AnyRequest, reason: unknown): void {
    // Made where nobody has asked for it yet: who does so later finds it aborted.
    if (!req.signal.aborted) req.#abort?.abort(reason);
  }

  /** Internal: what another request needs to be made as this one was. */
  static readonly settingsOf = (req: AnyRequest): RequestSettings => req.#settings;

  /** Internal: the query string as the client wrote it, without its `?`. Throws an HttpProblem for too many keys. */
  static search(req: AnyRequest): string {
    return searchOf(req.raw, req.#settings.maxQueryKeys);
  }

  /** The method as the client sent it: `GET`. */
  get method(): string {
    return this.raw.method ?? 'GET';
  }

  /** The path as the client wrote it, without the query string. */
  get path(): string {
    return pathOf(this.raw);
  }

  /**
   * The full URL. `url.searchParams.getAll(name)` has every value of a repeated key. Reading it refuses the request with
   * 400 where `Host` (behind `http.trustProxy` the forwarded one) names no host, or where the path would be
   * another one in a URL: `url.pathname` is always the path that is routed on.
   */
  get url(): URL {
    this.#url ??= requestUrl(this.raw, targetOf(this.raw), this.#settings.trustProxy);
    return this.#url;
  }

  /**
   * The first value of each key of the query string; of a route with a schema, what came out of that. No prototype. Reading it
   * refuses the request with 400 where there are more keys than `http.maxQueryKeys`.
   */
  get query(): Query {
    this.#query ??= parseQuery(this.raw, this.#settings.maxQueryKeys);
    return this.#query as Query;
  }

  /** All headers, names in lower case, as Node parses them; of a route with a schema, what came out of that. */
  get headers(): RequestHeaders {
    return this.raw.headers as RequestHeaders;
  }

  /** One header by its name, in any case. */
  header(name: string): string | undefined {
    const { headers } = this.raw;
    const lower = name.toLowerCase();
    // Node's object has a prototype, which has a `constructor`.
    const value = Object.hasOwn(headers, lower) ? headers[lower] : undefined;
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** Cookies by name (RFC 6265). No prototype. */
  get cookies(): Readonly<Record<string, string | undefined>> {
    this.#cookies ??= Object.assign(Object.create(null), parseCookies(this.raw.headers.cookie ?? ''));
    return this.#cookies as Readonly<Record<string, string | undefined>>;
  }

  /** The client's address: the socket's, or behind `http.trustProxy` the one in X-Forwarded-For. */
  get ip(): string {
    return clientAddress(this.raw, this.#settings.trustProxy);
  }

  /** A random id, or with `http.requestIds` the client's `X-Request-Id`: as unique as the client makes it, for logs, not for keys. */
  get id(): string {
    return requestId(this.raw);
  }

  /** The id of the trace that the request is a part of, 32 hexadecimal digits, where its `traceparent` names one (W3C Trace Context). */
  get traceId(): string | undefined {
    return traceIdOf(this.raw);
  }

  /** Internal: what lines of `ctx.logger` have while this request is answered. */
  get [logFields](): Readonly<Record<string, unknown>> {
    return { requestId: this.id, route: this.route.label, traceId: this.traceId, ...notesOf(this.raw) };
  }

  /** Aborts when the client goes away before the response is finished, and when the time of the route is up. */
  get signal(): AbortSignal {
    this.#abort ??= abortWhenGone(this.#out);
    return this.#abort.signal;
  }
}

/** A request of any route, whatever its schemas make of it. */
export type AnyRequest = HttpRequest<never, unknown, unknown, unknown, unknown>;

function abortWhenGone(out: ServerResponse): AbortController {
  const abort = new AbortController();
  const check = () => void (out.writableFinished || abort.abort(new Error('The client went away')));
  if (out.closed) check();
  else out.once('close', check);
  return abort;
}
