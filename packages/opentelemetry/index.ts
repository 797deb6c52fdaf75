import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { trace } from '@opentelemetry/api';
import {
  AroundStage,
  around,
  mapHttpRoutes,
  observeRequests,
  type RequestFailure,
  servesHttp,
} from 'fwkit/http';
import { wrapMcpCalls } from 'fwkit/mcp';
import { definePlugin, type OptionInput, option, type Plugin, Stage } from 'fwkit/plugin';
import { callTracer, jobTracer, requestTracer, spanOfHandler } from './spans.js';

const options = {
  /** Whether each handler gets a span of its own within the request's span, which shows its time without layers and the request body. */
  handlers: option.boolean(false),
};

/** `opentelemetry` in `fwk.config`. */
export interface OpenTelemetryOptions extends OptionInput<typeof options> {}

/**
 * Traces requests, MCP calls and the jobs of queues with OpenTelemetry. Spans in the project's code become children of these spans. They go to the SDK that
 * the process has registered, or else to `@opentelemetry/sdk-node`, which reads its `OTEL_…` environment variables.
 */
export const opentelemetry = (): Plugin =>
  definePlugin({
    name: 'opentelemetry',
    needs: ['http'],
    options,
    optionsType: "import('@fwkit/opentelemetry').OpenTelemetryOptions",
    apply(hooks, { handlers }) {
      if (handlers)
        // Inside all layers, except for layers that other layers depend on.
        hooks.resolve.tapPromise({ name: 'opentelemetry', stage: Stage.inside }, async (routes) =>
          mapHttpRoutes(routes, 'opentelemetry', ({ handler, kind }) =>
            kind === 'ws' || kind === 'mcp' ? undefined : spanOfHandler(handler),
          ),
        );

      hooks.serve.tapPromise(
        { name: 'opentelemetry', stage: Stage.connect },
        async ({ runtime, project }) => {
          await runtime.getOrCreate('opentelemetry', async () => {
            const { startSdk } = await import('./sdk.js');
            const shutdown = await startSdk(project.root, project.logger);
            if (shutdown) runtime.onEnd(shutdown);
            const subscribers = { 'fwk.request.error': recordFailure, ...jobTracer() };
            for (const [name, receive] of Object.entries(subscribers)) {
              subscribe(name, receive);
              runtime.onEnd(() => void unsubscribe(name, receive));
            }
          });
          if (servesHttp(runtime)) {
            const { wrap, observe } = requestTracer();
            around(project, { name: 'opentelemetry', stage: AroundStage.observe }, wrap);
            observeRequests(project, observe);
          }
          wrapMcpCalls(project, callTracer());
        },
      );
    },
  });

/** The message is published within the request, so the active span is that of the request, even if another instrumentation created it. */
function recordFailure(message: unknown): void {
  const { error } = message as RequestFailure;
  trace.getActiveSpan()?.recordException(error instanceof Error ? error : String(error));
}
