import type { IncomingMessage } from 'node:http';
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type Handler, isHttpError } from 'fwkit';
import { type Around, type Exchange, isInternal, type RequestObserver } from 'fwkit/http';
import type { McpCallWrapper } from 'fwkit/mcp';
import { isThenable } from 'fwkit/plugin';

/** The context key with which OpenTelemetry's own instrumentations pass on request metadata. The same name gives the same key. */
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

interface RpcMetadata {
  route?: string;
}

/** The known methods of the semantic conventions for HTTP; any other method is `_OTHER`. */
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

/** Creates a span for each request, or adds the route to the span of `@opentelemetry/instrumentation-http`. */
export function requestTracer(): { readonly wrap: Around; readonly observe: RequestObserver } {
  const tracer = trace.getTracer('@fwkit/opentelemetry');
  const spans = new WeakMap<IncomingMessage, Span>();

  const wrap: Around = (raw, out, next) => {
    const active = context.active();
    if (!isInternal(raw) && metadataOf(active)) return next(raw, out);
    const parent = trace.getSpan(active) ? active : propagation.extract(active, raw.headers);
    const kind = isInternal(raw) ? SpanKind.INTERNAL : SpanKind.SERVER;
    const span = tracer.startSpan(nameOf(raw), { kind, attributes: attributesOf(raw) }, parent);
    spans.set(raw, span);
    context.with(trace.setSpan(parent, span), () => next(raw, out));
  };

  const observe: RequestObserver = (exchange) => {
    const span = spans.get(exchange.raw);
    if (!span) {
      addRoute(exchange);
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

/** Provide the route to another instrumentation's span with a getter, because the route is not known yet. */
function addRoute(exchange: Exchange): void {
  const metadata = metadataOf(context.active());
  if (!metadata || exchange.isInternal) return;
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

/** The attributes of the stable semantic conventions for HTTP servers. The query is omitted, because it may contain secrets. */
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

/** Wrap a handler in a span. An HTTP error below 500, such as `error(404)`, does not mark the span as failed. */
export function spanOfHandler(handler: Handler): Handler {
  let tracer: Tracer | undefined;
  return (req, res, ctx) => {
    // Created with the first request, because the SDK may be registered after the routes are created, with another copy of the API.
    tracer ??= trace.getTracer('@fwkit/opentelemetry');
    const span = tracer.startSpan(`handler ${req.route.path ?? ''}`, {
      attributes: { 'code.file.path': req.route.file },
    });
    return context.with(trace.setSpan(context.active(), span), () => {
      try {
        const result = handler(req, res, ctx);
        if (!isThenable(result)) {
          span.end();
          return result;
        }
        return Promise.resolve(result).then(
          (value) => {
            span.end();
            return value;
          },
          (thrown) => fail(span, thrown),
        );
      } catch (thrown) {
        return fail(span, thrown);
      }
    });
  };
}

function fail(span: Span, thrown: unknown): never {
  if (!isHttpError(thrown) || thrown.status >= 500) {
    span.setAttribute('error.type', errorType(thrown));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
  throw thrown;
}

/** The attribute for the target of each method (semantic conventions for MCP). */
const TARGETS: Readonly<Record<string, string>> = {
  'tools/call': 'gen_ai.tool.name',
  'prompts/get': 'gen_ai.prompt.name',
  'resources/read': 'mcp.resource.uri',
};

/** Creates a span for each MCP call. Its parent is the request's span, or the `traceparent` in `_meta` (semantic conventions for MCP). */
export function callTracer(): McpCallWrapper {
  const tracer = trace.getTracer('@fwkit/opentelemetry');
  return async (call, run) => {
    const { method, target, sessionId, raw, meta } = call;
    const active = context.active();
    const around = trace.getSpan(active);
    const parent = typeof meta.traceparent === 'string' ? propagation.extract(active, meta) : active;
    const attribute = TARGETS[method];
    const span = tracer.startSpan(
      target === undefined ? method : `${method} ${target}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'mcp.method.name': method,
          'network.transport': raw ? 'tcp' : 'pipe',
          ...(attribute === undefined || target === undefined ? {} : { [attribute]: target }),
          ...(sessionId === undefined ? {} : { 'mcp.session.id': sessionId }),
        },
        ...(around && parent !== active ? { links: [{ context: around.spanContext() }] } : {}),
      },
      parent,
    );
    await context.with(trace.setSpan(parent, span), run);
    const { error, code, isError } = call;
    if (code !== undefined) span.setAttribute('rpc.response.status_code', String(code));
    if (error !== undefined) span.recordException(error instanceof Error ? error : String(error));
    if (error !== undefined || code !== undefined || isError) {
      const type = error === undefined ? String(code ?? 'tool_error') : errorType(error);
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  };
}

/** The used members of the `JobRun` of `@fwkit/queue`, which is not a dependency. A `CronRun` has no `wrap`. */
interface QueueJob {
  readonly queue: string;
  readonly id: string;
  readonly attempt: number;
  readonly origin: object;
  readonly error: unknown;
  readonly wrap?: (around: <T>(next: () => T) => T) => void;
}

/** The subscribers that store the trace with each new job, and create a span for each attempt (semantic conventions for messaging). */
export function jobTracer(): Readonly<Record<string, (message: unknown) => void>> {
  const tracer = trace.getTracer('@fwkit/opentelemetry');
  const spans = new WeakMap<object, Span>();
  return {
    'fwk.job.add': (message) => propagation.inject(context.active(), (message as QueueJob).origin),
    'fwk.job.start': (message) => {
      const job = message as QueueJob;
      if (!job.wrap) return;
      // The trace of the code that added the job continues, and the link marks its span in views of a single trace.
      const parent = propagation.extract(ROOT_CONTEXT, job.origin);
      const added = trace.getSpanContext(parent);
      const attributes = {
        'messaging.system': 'bullmq',
        'messaging.operation.type': 'process',
        'messaging.destination.name': job.queue,
        'messaging.message.id': job.id,
        'fwk.job.attempt': job.attempt,
      };
      const links = added ? [{ context: added }] : [];
      const span = tracer.startSpan(
        `process ${job.queue}`,
        { kind: SpanKind.CONSUMER, attributes, links },
        parent,
      );
      spans.set(job, span);
      job.wrap((next) => context.with(trace.setSpan(parent, span), next));
    },
    'fwk.job.end': (message) => {
      const job = message as QueueJob;
      const span = spans.get(job);
      if (span && job.error !== undefined) {
        span.recordException(job.error instanceof Error ? job.error : String(job.error));
        span.setAttribute('error.type', errorType(job.error));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span?.end();
    },
  };
}

/** `error.type` of the semantic conventions: the class of an error, because messages have unlimited values. */
const errorType = (error: unknown): string =>
  error instanceof Error ? error.constructor.name || error.name : typeof error;
