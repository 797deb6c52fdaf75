import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { McpCallWrapper } from 'fwkit/mcp';
import { errorType } from './error-type.js';

/** The attribute that a target is, by method (semantic conventions of MCP). */
const TARGETS: Readonly<Record<string, string>> = {
  'tools/call': 'gen_ai.tool.name',
  'prompts/get': 'gen_ai.prompt.name',
  'resources/read': 'mcp.resource.uri',
};

/**
 * Makes a span of each call of an MCP client, inside of that of its request. A `traceparent` in its `_meta` is its parent, as the
 * conventions have it: several calls may come over one request, or over stdio.
 */
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
