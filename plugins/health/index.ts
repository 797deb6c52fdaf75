import { type Health, healthOf, option } from '../../contributions/index.js';
import {
  type Clock,
  definePlugin,
  type Logger,
  type Option,
  type Plugin,
  type Project,
  Stage,
  slotKey,
} from '../../kernel/index.js';
import { logSafely } from '../../scope/index.js';
import { type Handler, type HttpRoute, httpRoute, serverOf, servesHttp } from '../http/index.js';

const isPath = (value: unknown): value is string =>
  typeof value === 'string' && /^(?:\/[\w.~-]+)+$/.test(value);

const path = (fallback: string): Option<string | false> =>
  option.custom<string | false>(
    fallback,
    `a path of letters, digits, "-", "_" and ".", such as "${fallback}", or false`,
    (value): value is string | false => value === false || isPath(value),
  );

export const healthOptions = {
  /** The path that reports whether this process is alive; false disables it. */
  live: path('/healthz'),
  /** The path that reports whether this process is ready for requests; false disables it. */
  ready: path('/readyz'),
};

const STATE = slotKey<State>('health');

interface State {
  readiness?: string;
  answerReady?: Handler;
}

const stateOf = (project: Project): State => project.slot(STATE, () => ({}));

/** The path of the readiness probe; undefined if it is disabled. Known after `health` has resolved. */
export const readinessPathOf = (project: Project): string | undefined => stateOf(project).readiness;

/** Answers the probes of load balancers: whether the process is alive, and ready for requests. */
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

      // Outside all layers and fronts, which may reject requests: probes are always answered.
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
        const readiness = new Readiness(healthOf(runtime), project);
        stateOf(project).answerReady = async (_req, res) => {
          res.header('Cache-Control', 'no-store');
          // A process that shuts down need not run the checks.
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

/** How long probes share the result of one run of the health checks, in milliseconds. */
const SHARED_MS = 1_000;

/** The health checks of an app. Probes within a second share one run. */
class Readiness {
  readonly #health: Pick<Health, 'check'>;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #running: Promise<readonly string[]> | undefined;
  #endedAt: number | undefined;
  #reported = '';

  constructor(health: Pick<Health, 'check'>, { logger, clock }: Project) {
    this.#health = health;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The names of failing parts, sorted. A change is logged with the details. */
  failing(): Promise<readonly string[]> {
    if (this.#endedAt !== undefined && this.#clock.now() - this.#endedAt >= SHARED_MS) {
      this.#running = undefined;
      this.#endedAt = undefined;
    }
    this.#running ??= this.#ask().finally(() => {
      this.#endedAt = this.#clock.now();
    });
    return this.#running;
  }

  async #ask(): Promise<readonly string[]> {
    const parts = Object.entries(await this.#health.check()).filter(([, { ok }]) => !ok);
    const names = parts.map(([name]) => name).sort();
    this.#report(
      names.join(),
      parts.map(([name, { detail }]) => (detail === undefined ? name : `${name} (${detail})`)),
    );
    return names;
  }

  #report(names: string, parts: readonly string[]): void {
    if (names === this.#reported) return;
    this.#reported = names;
    if (names === '') logSafely(this.#logger, 'info', 'Ready again.');
    else logSafely(this.#logger, 'warn', `Not ready: ${parts.join(', ')}.`);
  }
}
