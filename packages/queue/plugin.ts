import { servesHttp } from 'fwkit/http';
import { appNameOf, isAppName, tellChanged } from 'fwkit/peers';
import {
  definePlugin,
  moduleType,
  type OptionInput,
  onDemand,
  option,
  type Plugin,
  type Project,
  provide,
  type Runtime,
  Stage,
  slotKey,
} from 'fwkit/plugin';
import type { Broker } from './broker.js';
import type { Consumers } from './consumers.js';
import { Producers, TestSink } from './producers.js';
import { handlersOf, isQueueRoute, queueName, queueNames, queueRoutes } from './queue-routes.js';

const STATE = slotKey<State>('queues');

const options = {
  /** Whether this process does jobs; else it only adds them. */
  consume: option.boolean(true),
  /** After how many milliseconds without a sign of life a job is given to another process. */
  lease: option.whole(30_000, { min: 200, unit: 'milliseconds' }),
  /** How long a shutdown waits for jobs that have begun, in milliseconds. */
  drainLimit: option.whole(10_000, { unit: 'milliseconds' }),
  /** How long `add` waits for the broker, in milliseconds. */
  addLimit: option.whole(2_000, { min: 10, unit: 'milliseconds' }),
  /** How many milliseconds a connection to Redis may give no sign before another takes its place. */
  giveUp: option.whole(10_000, { min: 100, unit: 'milliseconds' }),
};

/** `queues` in `fwk.config`. */
export interface QueuesOptions extends OptionInput<typeof options> {}

/** How the broker is reached. */
export interface QueuesSettings {
  /**
   * Makes a client for the queues alone, of ioredis (`() => new Redis(url)`) or `@redis/client` (`() => createClient({ url })`). With a
   * `backend`, what that connects with.
   */
  readonly connection: () => unknown;
  /** Keeps jobs of apps apart that share a broker. Default: the name in package.json, with `.development` or `.test` outside of production. */
  readonly name?: string;
  /** Another broker than Redis and Valkey: `createPostgresBackend` of `bullmq`. */
  readonly backend?: (...args: never[]) => unknown;
}

class State {
  readonly producers = new Producers();
  consumers: Consumers | undefined;
}

const stateOf = (project: Project): State => project.inherit(STATE, () => new State());

/** With them comes BullMQ, which only a process that serves needs. */
const work = onDemand(async () => {
  const [{ Broker }, { Consumers }] = await Promise.all([import('./broker.js'), import('./consumers.js')]);
  return { Broker, Consumers };
});

/** Whether jobs stay in this process: a test connects to nothing. */
const isTest = ({ mode, overrides }: Project): boolean => mode === 'test' || overrides.has('queues');

/**
 * Files under `queues/` do jobs that survive a crash, on whichever machine; `ctx.queues.<name>.add(data)` adds them. They are kept by
 * BullMQ, in Redis, Valkey or PostgreSQL.
 */
export const queues = (settings: QueuesSettings): Plugin =>
  definePlugin({
    name: 'queues',
    needs: ['context'],
    options,
    guide: () => import('./guide.js'),
    types: () => ({
      declarations:
        "  interface Config {\n    readonly queues?: import('@fwkit/queue').QueuesOptions;\n  }\n",
    }),
    provides: (project) => {
      const members = project.files('queue').map((entry) => {
        const type = `import('@fwkit/queue').ProducerOf<${moduleType(project, entry)}['default']>`;
        return `readonly ${JSON.stringify(queueName(entry))}: ${type}`;
      });
      return members.length === 0 ? {} : { queues: `{ ${members.join('; ')} }` };
    },
    apply(hooks, { consume, addLimit, giveUp, ...limits }) {
      const brokerOf = (runtime: Runtime, project: Project): Promise<Broker> =>
        runtime.getOrCreate('queues.broker', async () => {
          const { connection, backend } = settings;
          const name = settings.name ?? (await appNameOf(project, 'queues', 'connection'));
          const { Broker } = await work();
          const broker = await Broker.open(
            { connection, backend, app: name, giveUp },
            queueNames(project),
            project.logger,
          );
          runtime.onEnd(() => broker.close(addLimit));
          return broker;
        });

      hooks.discover.tap('queues', (claims) => claims.add('queue', 'queues/**'));

      hooks.resolve.tapPromise({ name: 'queues:ctx', stage: Stage.connect }, async (routes, project) => {
        for (const mistake of mistakesIn(settings)) project.report('fwk.config', mistake, 'FWK830');
        const names = queueNames(project);
        if (names.length > 0) provide(project, 'queues', stateOf(project).producers.makeFor(names));
        return routes;
      });

      hooks.resolve.tapPromise('queues', async (routes, project) => [
        ...routes,
        ...(await queueRoutes(project)),
      ]);

      hooks.serve.tapPromise({ name: 'queues', stage: Stage.connect }, async (serving) => {
        const { runtime, project, routes, onStart } = serving;
        const own = routes.filter(isQueueRoute);
        if (own.length === 0) return;
        const { producers } = stateOf(project);
        onStart(() => producers.define(new Map(own.map((route) => [route.name, route.definition]))));
        if (isTest(project)) return producers.use(new TestSink(handlersOf(own, project)));
        const broker = await brokerOf(runtime, project);
        const { connection, name, backend } = settings;
        await tellChanged(serving, 'queues', { connection, name, backend });
        producers.use({ add: (job) => broker.add(job, addLimit) });
        onStart(() => broker.use(project.logger, giveUp));
      });

      // Jobs begin when all that they need has begun: the services of the project, too.
      hooks.serve.tapPromise({ name: 'queues:consume', stage: Stage.finish }, async (serving) => {
        const { runtime, project, routes, onStart, onClose } = serving;
        const isConsumer = consume && servesHttp(runtime) && !isTest(project);
        const handlers = handlersOf(isConsumer ? routes : [], project);
        const state = stateOf(project);
        if (handlers.size > 0)
          state.consumers ??= await runtime.getOrCreate('queues.consumers', async () => {
            const { Consumers } = await work();
            const made = new Consumers(await brokerOf(runtime, project), runtime);
            runtime.onClose(() => made.stop());
            runtime.onEnd(() => made.close());
            return made;
          });
        const { consumers } = state;
        if (!consumers) return;
        onStart(() => consumers.use(handlers, { ...limits, logger: project.logger }));
        onClose(() => consumers.leave(handlers));
      });
    },
  });

/** What types say to those who have some. */
function* mistakesIn({ connection, name, backend }: Partial<QueuesSettings> = {}): Iterable<string> {
  if (typeof connection !== 'function')
    yield 'has queues({ connection }), which takes a function that makes a client: () => new Redis(process.env.REDIS_URL).';
  if (name !== undefined && !isAppName(name))
    yield 'has queues({ name }), which takes a text of letters, digits and @ . / ~ _ -.';
  if (backend !== undefined && typeof backend !== 'function')
    yield 'has queues({ backend }), which takes a function of BullMQ: createPostgresBackend.';
}
