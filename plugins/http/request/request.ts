import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseCookies } from 'cookie';
import { coded, type Project } from '../../../kernel/index.js';
import { logFields } from '../../../scope/index.js';
import { clientAddress, requestUrl } from './forwarded.js';
import type { TrustProxy } from './project-settings.js';
import { parseQuery, searchOf } from './query.js';
import { notesOf, requestId, traceIdOf } from './request-id.js';
import type { AnyQuery, ParamsOf, RouteInfo, RoutePath } from './route-info.js';
import { pathOf, targetOf } from './target.js';

export interface RequestSettings {
  readonly trustProxy: TrustProxy;
  readonly maxQueryKeys: number;
  /** The version that answers the request. */
  readonly project: Project;
}

/** A request body that is read on first access. */
export interface PendingBody {
  readonly isRead: boolean;
  readonly value: unknown;
  /** Whether the client still has to send the rest of the body. */
  readonly isReading: boolean;
  /** Start reading; further calls return the same promise. Rejects with an HttpProblem; an unhandled rejection is ignored. */
  read(): Promise<void>;
}

/** The query string has not been parsed. */
const UNREAD = Symbol('unread');

/** A request as handlers see it. Expensive values are computed on first access. */
export class HttpRequest<
  Path extends RoutePath = never,
  Body = unknown,
  Params = ParamsOf<Path>,
  Query = AnyQuery,
  RequestHeaders = IncomingHttpHeaders,
> {
  #body: unknown;
  /** Set if the body is read on demand. */
  #pending: PendingBody | undefined;
  readonly #out: ServerResponse;
  readonly #settings: RequestSettings;
  #url: URL | undefined;
  #query: unknown = UNREAD;
  #cookies: Readonly<Record<string, string | undefined>> | undefined;
  #abort: AbortController | undefined;

  constructor(
    /** Node's own request. */
    readonly raw: IncomingMessage,
    out: ServerResponse,
    /** The route that answers; its `kind` is `none` if no route matched. */
    readonly route: RouteInfo,
    /** The decoded values of the bracketed segments; strings unless a schema transforms them. No prototype. */
    readonly params: Params,
    settings: RequestSettings,
  ) {
    this.#out = out;
    this.#settings = settings;
  }

  /**
   * The parsed body: JSON and form bodies as objects (files of a multipart form as `File`s), `text/*` as a string, anything
   * else as a Buffer; undefined if there is none. With `.meta({ body: 'stream' })` it is the unread body. It is external
   * input: check it before you trust its type. The body is read after the middlewares have run; reading this property earlier
   * throws, so middlewares use `readBody`.
   */
  get body(): Body {
    const pending = this.#pending;
    if (pending === undefined) return this.#body as Body;
    if (pending.isRead) return pending.value as Body;
    const message =
      'req.body is not available yet: it is read after the middlewares have run. In a middleware, use await req.readBody().';
    throw coded('FWK417', new Error(message));
  }

  /**
   * Read the body in a middleware, before the handler runs. Resolves with the parsed `body`, also on repeated calls. Rejects
   * with an HttpProblem for an invalid body: 400, 413 or 415.
   */
  readBody(): Promise<Body> {
    const read = (this.#pending?.read() ?? Promise.resolve()).then(() => this.body);
    // An unhandled rejection would end the process.
    read.catch(() => {});
    return read;
  }

  /** Internal: called by listener.ts if the body was read before the handler. Static, so that handlers don't see it. */
  static setBody(req: AnyRequest, body: unknown): void {
    req.#body = body;
  }

  /** Internal: called by listener.ts if the body is read on first access. */
  static attachPendingBody(req: AnyRequest, pending: PendingBody): void {
    req.#pending = pending;
  }

  /** Internal: called by the layer `http:body`. Resolves when the body has been read; undefined if there is nothing to wait for. */
  static whenBodyRead(req: AnyRequest): Promise<void> | undefined {
    return req.#pending?.read();
  }

  /** Internal: called with the output of a schema. */
  static replace(req: AnyRequest, part: 'params' | 'query' | 'headers' | 'body', value: unknown): void {
    if (part === 'body') {
      req.#pending = undefined;
      req.#body = value;
    } else if (part === 'query') req.#query = value;
    else if (part === 'headers')
      Object.defineProperty(req, part, { value, configurable: true, enumerable: true });
    else Object.assign(req, { params: value });
  }

  /** Internal: whether a body is being read and has not ended. */
  static isReadingBody(req: AnyRequest): boolean {
    return req.#pending?.isReading === true;
  }

  /** Internal: called when the route's timeout expires. */
  static abort(req: AnyRequest, reason: unknown): void {
    // If nobody has read the signal yet, create it, so that later readers find it aborted.
    if (!req.signal.aborted) req.#abort?.abort(reason);
  }

  /** Internal: `req.signal` if it has been read. */
  static signalOf(req: AnyRequest): AbortSignal | undefined {
    return req.#abort?.signal;
  }

  /** Internal: the settings that another request needs to be created like this one. */
  static readonly settingsOf = (req: AnyRequest): RequestSettings => req.#settings;

  /** Internal: the raw query string without its `?`. Throws an HttpProblem if it has too many keys. */
  static search(req: AnyRequest): string {
    return searchOf(req.raw, req.#settings.maxQueryKeys);
  }

  /** The method as the client sent it: `GET`. */
  get method(): string {
    return this.raw.method ?? 'GET';
  }

  /** The undecoded path, without the query string. */
  get path(): string {
    return pathOf(this.raw);
  }

  /**
   * The full URL. `url.searchParams.getAll(name)` returns every value of a repeated key. Reading it throws a 400 if `Host`
   * (or the forwarded host, behind `http.trustProxy`) is invalid, or if `URL` would change the path: `url.pathname` is always
   * the path that was routed.
   */
  get url(): URL {
    this.#url ??= requestUrl(this.raw, targetOf(this.raw), this.#settings.trustProxy);
    return this.#url;
  }

  /**
   * The first value of each key in the query string, or the output of the route's schema. No prototype. Reading it throws a
   * 400 if there are more than `http.maxQueryKeys` keys.
   */
  get query(): Query {
    if (this.#query === UNREAD) this.#query = parseQuery(this.raw, this.#settings.maxQueryKeys);
    return this.#query as Query;
  }

  /** All headers as Node parses them, with lower-case names, or the output of the route's schema. */
  get headers(): RequestHeaders {
    return this.raw.headers as RequestHeaders;
  }

  /** A header by its case-insensitive name. */
  header(name: string): string | undefined {
    const { headers } = this.raw;
    const lower = name.toLowerCase();
    // Node's object has a prototype with a `constructor`.
    const value = Object.hasOwn(headers, lower) ? headers[lower] : undefined;
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** Cookies by name (RFC 6265). No prototype. */
  get cookies(): Readonly<Record<string, string | undefined>> {
    this.#cookies ??= Object.assign(Object.create(null), parseCookies(this.raw.headers.cookie ?? ''));
    return this.#cookies as Readonly<Record<string, string | undefined>>;
  }

  /** The client's address: from the socket, or behind `http.trustProxy` from X-Forwarded-For. */
  get ip(): string {
    return clientAddress(this.raw, this.#settings.trustProxy);
  }

  /** A random id, or with `http.requestIds` the client's `X-Request-Id`. A client may reuse an id, so use it in logs, not as a key. */
  get id(): string {
    return requestId(this.raw);
  }

  /** The trace id from the request's `traceparent`, 32 hexadecimal digits (W3C Trace Context); undefined if there is none. */
  get traceId(): string | undefined {
    return traceIdOf(this.raw);
  }

  /** Internal: the fields that `ctx.logger` adds while this request is answered. */
  get [logFields](): Readonly<Record<string, unknown>> {
    return { requestId: this.id, route: this.route.label, traceId: this.traceId, ...notesOf(this.raw) };
  }

  /** Aborts when the client disconnects before the response is finished, and when the route's timeout expires. */
  get signal(): AbortSignal {
    this.#abort ??= abortOnDisconnect(this.#out);
    return this.#abort.signal;
  }
}

/** A request of any route, whatever its schemas. */
export type AnyRequest = HttpRequest<never, unknown, unknown, unknown, unknown>;

/** The version that answers a request. Layers must read it each time: they may outlive their version. */
export const projectOf = (req: AnyRequest): Project => HttpRequest.settingsOf(req).project;

function abortOnDisconnect(out: ServerResponse): AbortController {
  const abort = new AbortController();
  const check = () => void (out.writableFinished || abort.abort(new Error('The client disconnected')));
  if (out.closed) check();
  else out.once('close', check);
  return abort;
}
