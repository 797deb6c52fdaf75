import { definePlugin, type Plugin, type Project, Stage } from '../../kernel/index.js';
import { type Handler, type HttpRoute, httpRoute, serverOf, servesHttp } from '../http/index.js';
import { healthOptions } from './options.js';
import { Readiness } from './readiness.js';

export { healthOptions } from './options.js';

interface State {
  readiness?: string;
  /** Answers whether the app is ready. Set when the project is served. */
  answerReady?: Handler;
}

const stateOf = (project: Project): State => project.slot<State>('health', () => ({}));

/** The path at which it is answered whether the app is ready; undefined: nowhere. Known once the plugin `health` has resolved. */
export const readinessPathOf = (project: Project): string | undefined => stateOf(project).readiness;

/** Answers the probes of balancers and orchestrators: whether the process lives, and whether it is ready for requests. */
export function health(): Plugin {
  return definePlugin({
    name: 'health',
    needs: ['http'],
    options: healthOptions,
    apply(hooks, { live, ready }) {
      hooks.resolve.tapPromise('health', async (routes, project) => {
        if (ready !== false) stateOf(project).readiness = ready;
        return routes;
      });

      // Behind all layers and fronts, which may refuse requests: probes are answered whatever they say.
      hooks.resolve.tapPromise({ name: 'health:probes', stage: Stage.front }, async (routes, project) => {
        const state = stateOf(project);
        return [
          ...routes,
          ...(live === false ? [] : [probe(live, answerAlive)]),
          ...(ready === false ? [] : [probe(ready, (...request) => state.answerReady?.(...request))]),
        ];
      });

      hooks.serve.tapPromise('health', async ({ runtime, project }) => {
        const server = servesHttp(runtime) ? await serverOf(runtime) : undefined;
        const readiness = new Readiness(runtime.health, project.logger);
        stateOf(project).answerReady = async (_req, res) => {
          res.header('Cache-Control', 'no-store');
          // What is about to end need not ask whether all is well.
          if (server?.isEnding) return res.status(503).json({ status: 'ending' });
          const failing = await readiness.failing();
          if (failing.length === 0) res.json({ status: 'ok' });
          else res.status(503).json({ status: 'unavailable', failing });
        };
      });
    },
  });
}

const answerAlive: Handler = (_req, res) => {
  res.header('Cache-Control', 'no-store').json({ status: 'ok' });
};

const probe = (path: string, handler: Handler): HttpRoute =>
  httpRoute({
    kind: 'health',
    file: 'plugin "health"',
    method: 'GET',
    path,
    meta: { timeout: 0 },
    handler,
    hidden: true,
  });
