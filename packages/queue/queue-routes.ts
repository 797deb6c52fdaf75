import { type BaseRoute, ctxKeyOf, type Entry, type Project } from 'fwkit/plugin';
import { type Handler, handlerOf } from './job-run.js';
import { isQueue, type QueueDefinition } from './queue.js';

/** A file under `queues/`. */
export interface QueueRoute extends BaseRoute {
  /** Of the queue: the key of `ctx.queues`. */
  readonly name: string;
  readonly definition: QueueDefinition<never>;
}

export const isQueueRoute = (route: BaseRoute): route is QueueRoute => route.protocol === 'queue';

/** The name of the queue of a file, by its path: `billing/send-invoices.ts` is `billingSendInvoices`. */
export const queueName = ({ file }: Pick<Entry, 'file'>): string => ctxKeyOf(file);

export const queueNames = (project: Project): readonly string[] => [
  ...new Set(project.files('queue').map(queueName)),
];

/** Import the files under `queues/`, and report what is wrong with them. */
export async function queueRoutes(project: Project): Promise<readonly QueueRoute[]> {
  const fileOf = new Map<string, string>();
  const routes = project.files('queue').map(async (entry): Promise<QueueRoute[]> => {
    const { file } = entry;
    const name = queueName(entry);
    const first = fileOf.get(name);
    if (first !== undefined)
      project.report(file, `is ctx.queues.${name}, which ${first} is too. Rename one of them.`, 'FWK302');
    fileOf.set(name, project.display(file));
    if (name === '')
      project.report(file, 'has no letter in its name, which is that of its queue. Rename it.', 'FWK832');
    const module = await project.load(entry);
    if (!module || first !== undefined) return [];
    const definition = module.default;
    if (isQueue(definition)) {
      const label = `QUEUE ${name}`;
      return [{ ...entry, protocol: 'queue', label, id: label, name, definition }];
    }
    project.report(
      file,
      'does no jobs. Export default queue(async (data, ctx, job) => …), of @fwkit/queue.',
      'FWK832',
    );
    return [];
  });
  return (await Promise.all(routes)).flat();
}

/** What this version does with the jobs of each queue, by name. */
export const handlersOf = (routes: readonly BaseRoute[], project: Project): ReadonlyMap<string, Handler> =>
  new Map(routes.filter(isQueueRoute).map((route) => [route.name, handlerOf(route, project)]));
