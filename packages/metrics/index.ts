import { observeRequests, servesHttp } from 'fwkit/http';
import { definePlugin, machinePeersOf, type OptionInput, option, type Plugin, Stage } from 'fwkit/plugin';

/** Upper bounds in seconds, the same as in Prometheus' own clients. */
const BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const options = {
  /** The port of the metrics endpoint. 0 selects a free port and logs it. */
  port: option.custom<number>(
    9_464,
    'a port, from 0 to 65535',
    (value): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
  ),
  /** The name or address to listen on. With `0.0.0.0`, other machines can fetch the metrics. */
  host: option.custom<string>(
    '127.0.0.1',
    'a name or an address, such as "0.0.0.0"',
    (value): value is string => typeof value === 'string' && value !== '',
  ),
  /** The path of the metrics endpoint. */
  path: option.custom<string>(
    '/metrics',
    'a path that begins with "/"',
    (value): value is string => typeof value === 'string' && /^\/[^?#\s]*$/.test(value),
  ),
  /** The buckets of durations: upper bounds in seconds, in ascending order. */
  buckets: option.custom<readonly number[]>(
    BUCKETS,
    'an array of positive numbers of seconds in ascending order',
    (value): value is readonly number[] =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((one, at) => one > (at > 0 ? value[at - 1] : 0)),
  ),
};

/** `metrics` in `fwk.config`. */
export interface MetricsOptions extends OptionInput<typeof options> {}

/**
 * Serves Prometheus metrics of the app on a separate port: requests by method, route and status, event loop, garbage collection,
 * memory, WebSockets, event streams, MCP, and the metrics that the project creates with `prom-client`. Each worker returns the metrics
 * of all workers.
 */
export const metrics = (): Plugin =>
  definePlugin({
    name: 'metrics',
    needs: ['http'],
    options,
    optionsType: "import('@fwkit/metrics').MetricsOptions",
    apply(hooks, { buckets, ...address }) {
      hooks.serve.tapPromise(
        { name: 'metrics', stage: Stage.connect },
        async ({ runtime, project, onStart }) => {
          // Tests open no port, because several of them may run at the same time.
          if (!servesHttp(runtime) || project.mode === 'test') return;
          const state = await runtime.getOrCreate('metrics', async () => {
            const [{ AppMetrics }, { Exposition }, { Collection }] = await Promise.all([
              import('./app-metrics.js'),
              import('./exposition.js'),
              import('./collection.js'),
            ]);
            const app = new AppMetrics();
            const collection = new Collection(app, machinePeersOf(runtime));
            const exposition = new Exposition(() => collection.text());
            runtime.onEnd(async () => {
              await exposition.close();
              await collection.close();
              app.close();
            });
            return { app, exposition };
          });
          state.app.useBuckets(buckets);
          observeRequests(project, (exchange) => state.app.observe(exchange));
          // A port that is in use fails the startup, but not in development, where another project may use the same port.
          if (!project.previous && project.mode !== 'development')
            await state.exposition.listen(address, project.logger);
          else
            onStart(() => {
              state.exposition
                .listen(address, project.logger)
                .catch((thrown) => project.logger.warn('Metrics are not served:', thrown));
            });
        },
      );
    },
  });
