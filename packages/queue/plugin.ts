import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { servesHttp } from 'fwkit/http';
import { appNameOf, isAppName, tellChanged } from 'fwkit/peers';
import {
  coded,
  definePlugin,
  healthOf,
  logSafely,
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
import type { Outbox } from './outbox.js';
import { type NewJob, Producers, TestSink } from './producers.js';
import { handlersOf, isQueueRoute, queueName, queueNames, queueRoutes } from './queue-routes.js';

/** How long the broker may take to answer the questions of a starting process, in milliseconds. */
const REPORT_LIMIT_MS = 10_000;

const STATE = slotKey<State>('queues');

const options = {
  /** Whether this process runs jobs. Otherwise it only adds them. */
  consume: option.boolean(true),
  /** After how many milliseconds without a renewal another process gets the job. */
  lease: option.integer(30_000, { min: 200, unit: 'milliseconds' }),
  /** How long a shutdown waits for running jobs, in milliseconds. */
  drainLimit: option.integer(10_000, { unit: 'milliseconds' }),
  /** How long `add` waits for the broker, in milliseconds. */
  addLimit: option.integer(2_000, { min: 10, unit: 'milliseconds' }),
  /** How long a connection to Redis may be silent before it is replaced, in milliseconds. */
  giveUp: option.integer(10_000, { min: 100, unit: 'milliseconds' }),
};

/** `queues` in `fwk.config`. */
export interface QueuesOptions extends OptionInput<typeof options> {}

/** The argument of `queues()`. */
export interface QueuesSettings {
  /**
   * Creates a client only for the queues, of ioredis (`() => new Redis(url)`) or `@redis/client` (`() => createClient({ url })`). With a
   * `backend`, returns the connection that the backend expects.
   */
  readonly connection: () => unknown;
  /** Separates the jobs of apps that share a broker. Default: the name in package.json, with `.development` or `.test` outside of production. */
  readonly name?: string;
  /** Creates a `Pool` of `pg`, for `add` with the option `transaction`: jobs wait in a table until a process adds them to the broker. */
  readonly outbox?: () => unknown;
  /** The backend of a broker other than Redis and Valkey: `createPostgresBackend` of `bullmq`. */
  readonly backend?: (...args: never[]) => unknown;
}

class State {
  readonly producers = new Producers();
  consumers: Consumers | undefined;
}

const sharedState = (project: Project): State => project.inherit(STATE, () => new State());

/** These modules import BullMQ, which only a serving process needs, so they are loaded on demand. */
const work = onDemand(async () => {
  const [broker, consumers, queues] = await Promise.all([
    import('./broker.js'),
    import('./consumers.js'),
    import('./bull-queue.js'),
  ]);
  return { ...broker, ...consumers, ...queues };
});

/** Whether jobs stay in this process, because a test connects to no broker. */
const isTest = ({ mode, overrides }: Project): boolean => mode === 'test' || overrides.has('queues');

/**
 * Each file in `queues/` runs background jobs, which survive crashes, on any machine. `ctx.queues.<name>.add(data)` adds a job. BullMQ
 * stores the jobs in Redis, Valkey or PostgreSQL.
 */
export const queues = (settings: QueuesSettings): Plugin =>
  definePlugin({
    name: 'queues',
    needs: ['context'],
    options,
    guide: () => import('./guide.js'),
    commands: [
      {
        name: 'jobs',
        description: 'List, show, retry, remove, pause or resume the jobs of queues.',
        operands: '[action] [queue] [id]',
        flags: [
          { name: 'state', value: 'state', description: 'waiting, active, delayed, failed or completed' },
          { name: 'json', description: 'Print it as JSON' },
        ],
        load: async () => (await import('./jobs-command.js')).jobsCommand(settings),
      },
    ],
    optionsType: "import('@fwkit/queue').QueuesOptions",
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
          const count = (answers: unknown): void => void (answers as unknown[]).push(broker.counts(addLimit));
          subscribe('fwk.queue.counts', count);
          runtime.onEnd(() => {
            unsubscribe('fwk.queue.counts', count);
            return broker.close(addLimit);
          });
          return broker;
        });

      const outboxOf = (runtime: Runtime, project: Project, broker: Broker): Promise<Outbox> =>
        runtime.getOrCreate('queues.outbox', async () => {
          const { Outbox } = await import('./outbox.js');
          const deliver = (jobs: readonly NewJob[]) => broker.add(jobs, addLimit);
          const { outbox } = settings;
          const made = await Outbox.open(() => outbox?.(), { app: broker.app, deliver }, project.logger);
          runtime.onClose(() => made.close());
          return made;
        });

      hooks.discover.tap('queues', (claims) => claims.add('queue', 'queues/**'));

      hooks.resolve.tapPromise({ name: 'queues:ctx', stage: Stage.connect }, async (routes, project) => {
        for (const mistake of mistakesIn(settings)) project.report('fwk.config', mistake, 'FWK830');
        const names = queueNames(project);
        if (names.length > 0) provide(project, 'queues', sharedState(project).producers.makeFor(names));
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
        const { producers } = sharedState(project);
        onStart(() => producers.define(new Map(own.map((route) => [route.name, route.definition]))));
        if (isTest(project)) return producers.use(new TestSink(handlersOf(own, project)));
        const broker = await brokerOf(runtime, project);
        if (project.mode === 'development')
          (await import('./jobs-view.js')).addJobsView(project, broker, addLimit);
        const { getJob, stateOf, storedIds } = await work();
        const outbox = settings.outbox && (await outboxOf(runtime, project, broker));
        const { connection, name, backend } = settings;
        await tellChanged(serving, 'queues', { connection, name, backend });
        producers.use({
          add: async (jobs, transaction) => {
            if (transaction === undefined) return broker.add(jobs, addLimit);
            if (outbox) return outbox.store(transaction, jobs);
            throw coded(
              'FWK838',
              'The option "transaction" needs queues({ outbox: () => new Pool({ connectionString }) }) in fwk.config.',
            );
          },
          getJob: (queue, id) => broker.ask(queue, addLimit, (bull) => getJob(bull, id)),
          stateOf: (queue, id) => broker.ask(queue, addLimit, (bull) => stateOf(bull, storedIds(id))),
        });
        onStart(() => broker.use(project.logger, giveUp));
      });

      // The last stage, so that jobs start after everything they use, including the services of the project.
      hooks.serve.tapPromise({ name: 'queues:consume', stage: Stage.finish }, async (serving) => {
        const { runtime, project, routes, onStart, onClose } = serving;
        const isConsumer = consume && servesHttp(runtime) && !isTest(project);
        const handlers = handlersOf(isConsumer ? routes : [], project);
        const state = sharedState(project);
        if (handlers.size > 0)
          state.consumers ??= await runtime.getOrCreate('queues.consumers', async () => {
            const { Consumers } = await work();
            const broker = await brokerOf(runtime, project);
            if (settings.outbox) (await outboxOf(runtime, project, broker)).start();
            const made = new Consumers(broker, runtime);
            // If the broker is unavailable, that is reported elsewhere.
            reportAbandoned(broker, project).catch(() => {});
            healthOf(runtime).add('queues', () => made.status());
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

/** Report the jobs of queues whose file has been removed. */
async function reportAbandoned(broker: Broker, project: Project): Promise<void> {
  const names = queueNames(project);
  const { countsOf } = await work();
  const report = async (queue: string): Promise<void> => {
    const { jobs } = await broker.ask(queue, REPORT_LIMIT_MS, countsOf);
    const count = jobs.waiting + jobs.delayed;
    if (count === 0) return;
    const text = `${count === 1 ? '1 job waits' : `${count} jobs wait`} in the queue "${queue}", which has no file in ${project.display('queues')}/. Restore the file, or remove the jobs with fwk jobs remove ${queue}.`;
    logSafely(project.logger, 'warn', { code: 'FWK837', text });
  };
  const others = (await broker.names(names, REPORT_LIMIT_MS)).filter((name) => !names.includes(name));
  await Promise.all(others.map(report));
}

/** Checks for JavaScript projects, which the types do not cover. */
function* mistakesIn({ connection, name, outbox }: Partial<QueuesSettings> = {}): Iterable<string> {
  if (typeof connection !== 'function')
    yield 'queues({ connection }) must be a function that creates a client, such as () => new Redis(process.env.REDIS_URL).';
  if (outbox !== undefined && typeof outbox !== 'function')
    yield 'queues({ outbox }) must be a function that creates a Pool of pg, such as () => new Pool({ connectionString }).';
  if (name !== undefined && !isAppName(name))
    yield 'queues({ name }) must be a string of letters, digits and @ . / ~ _ -.';
}
