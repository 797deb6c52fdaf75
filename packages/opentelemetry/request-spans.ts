import type { IncomingMessage } from 'node:http';
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { type Around, type Exchange, isInside, type RequestObserver } from 'fwkit/http';
import { errorType } from './error-type.js';

/** The key by which OpenTelemetry's own instrumentations hand on what they know of a request: its name makes it the same key. */
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

interface RpcMetadata {
  route?: string;
}

/** Methods that are a name of a span (semantic conventions of HTTP); any other is `_OTHER`. */
const METHODS = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
]);

/**
 * Makes a span of each request. Where `@opentelemetry/instrumentation-http` has made one, that is told the route, and what was
 * thrown. A request that the app sends to itself is one inside of another.
 */
export function requestTracer(): { readonly wrap: Around; readonly observe: RequestObserver } {
  const tracer = trace.getTracer('@fwkit/opentelemetry');
  const spans = new WeakMap<IncomingMessage, Span>();

  const wrap: Around = (raw, out, next) => {
    const active = context.active();
    if (!isInside(raw) && metadataOf(active)) return next(raw, out);
    const parent = trace.getSpan(active) ? active : propagation.extract(active, raw.headers);
    const kind = isInside(raw) ? SpanKind.INTERNAL : SpanKind.SERVER;
    const span = tracer.startSpan(nameOf(raw), { kind, attributes: attributesOf(raw) }, parent);
    spans.set(raw, span);
    context.with(trace.setSpan(parent, span), () => next(raw, out));
  };

  const observe: RequestObserver = (exchange) => {
    const span = spans.get(exchange.raw);
    if (!span) {
      tellRoute(exchange);
      return undefined;
    }
    return () => {
      const { route, error, status, isAborted } = exchange;
      const path = route?.path;
      if (path !== undefined) {
        span.setAttribute('http.route', path);
        span.updateName(`${nameOf(exchange.raw)} ${path}`);
      }
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      if (error !== undefined || (status ?? 0) >= 500 || (isAborted && status === undefined)) {
        span.setAttribute('error.type', error === undefined ? String(status ?? 'aborted') : errorType(error));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    };
  };
  return { wrap, observe };
}

/** Tell whoever made the span the route, which is not known yet, and may be asked before the request has ended here. */
function tellRoute(exchange: Exchange): void {
  const metadata = metadataOf(context.active());
  if (!metadata || exchange.isInside) return;
  let { route } = metadata;
  Object.defineProperty(metadata, 'route', {
    configurable: true,
    enumerable: true,
    get: () => exchange.route?.path ?? route,
    set: (other: string) => {
      route = other;
    },
  });
}

const nameOf = (raw: IncomingMessage): string => {
  const method = methodOf(raw);
  return method === '_OTHER' ? 'HTTP' : method;
};

const metadataOf = (active: Context): RpcMetadata | undefined =>
  active.getValue(RPC_METADATA) as RpcMetadata | undefined;

const methodOf = ({ method = '' }: IncomingMessage): string => (METHODS.has(method) ? method : '_OTHER');

/** What the stable semantic conventions of HTTP servers ask for. The query is left out: it may have what is secret. */
function attributesOf(raw: IncomingMessage): Attributes {
  const { socket, headers, httpVersion } = raw;
  const method = methodOf(raw);
  const [path] = (raw.url ?? '').split('?', 1);
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(headers.host ?? '') ?? [];
  return {
    'http.request.method': method,
    ...(method === '_OTHER' ? { 'http.request.method_original': raw.method } : {}),
    'url.path': path,
    'url.scheme': 'encrypted' in socket && socket.encrypted ? 'https' : 'http',
    'network.protocol.version': httpVersion,
    ...(host === '' ? {} : { 'server.address': host }),
    ...(port === undefined ? {} : { 'server.port': Number(port) }),
    ...(socket.remoteAddress === undefined ? {} : { 'client.address': socket.remoteAddress }),
    ...(headers['user-agent'] === undefined ? {} : { 'user_agent.original': headers['user-agent'] }),
  };
}
