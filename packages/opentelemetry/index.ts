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
import { callTracer, requestTracer, spanOfHandler } from './spans.js';

const options = {
  /** Whether each handler has a span of its own inside of its request's: the time that its layers and its body took is what is left. */
  handlers: option.boolean(false),
};

/** `opentelemetry` in `fwk.config`. */
export interface OpenTelemetryOptions extends OptionInput<typeof options> {}

/**
 * Traces requests and MCP calls by OpenTelemetry, in whose spans those of the project's own code nest. Spans go to the SDK that the
 * process has registered; where it has none, `@opentelemetry/sdk-node` is started, as its environment variables (`OTEL_…`) say.
 */
export const opentelemetry = (): Plugin =>
  definePlugin({
    name: 'opentelemetry',
    needs: ['http'],
    options,
    types: () => ({
      declarations:
        "  interface Config {\n    readonly opentelemetry?: import('@fwkit/opentelemetry').OpenTelemetryOptions;\n  }\n",
    }),
    apply(hooks, { handlers }) {
      if (handlers)
        // Inside of all layers but those that are useful to layers around them.
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
            subscribe('fwk.request.error', recordFailure);
            runtime.onEnd(() => void unsubscribe('fwk.request.error', recordFailure));
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

/** It is published where the request is answered: its span is the active one, whoever has made it. */
function recordFailure(message: unknown): void {
  const { error } = message as RequestFailure;
  trace.getActiveSpan()?.recordException(error instanceof Error ? error : String(error));
}
