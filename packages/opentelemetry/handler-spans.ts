import { context, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { isHttpError } from 'fwkit';
import type { Handler } from 'fwkit/http';
import { isThenable } from 'fwkit/plugin';
import { errorType } from './error-type.js';

/** A handler whose time is a span. What it throws on purpose, `error(404)` say, is no failure of it. */
export function spanOfHandler(handler: Handler): Handler {
  let tracer: Tracer | undefined;
  return (req, res, ctx) => {
    // Not while routes are made: the SDK may come later, by another copy of its API.
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
