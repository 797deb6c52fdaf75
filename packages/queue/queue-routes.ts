import { type BaseRoute, ctxKeyOf, type Entry, type Project } from 'fwkit/plugin';
import { type Handler, handlerOf } from './job-run.js';
import { isQueue, type QueueDefinition } from './queue.js';

/** A file under `queues/`. */
export interface QueueRoute extends BaseRoute {
  readonly name: string;
  readonly definition: QueueDefinition;
}

export const isQueueRoute = (route: BaseRoute): route is QueueRoute => route.protocol === 'queue';

/** The name of the queue in a file, derived from its path: `billing/send-invoices.ts` is `billingSendInvoices`. */
export const queueName = ({ file }: Pick<Entry, 'file'>): string => ctxKeyOf(file);

export const queueNames = (project: Project): readonly string[] => [
  ...new Set(project.files('queue').map(queueName)),
];

export async function queueRoutes(project: Project): Promise<readonly QueueRoute[]> {
  const fileOf = new Map<string, string>();
  const routes = project.files('queue').map(async (entry): Promise<QueueRoute[]> => {
    const { file } = entry;
    const name = queueName(entry);
    const first = fileOf.get(name);
    if (first !== undefined)
      project.report(file, `defines ctx.queues.${name}, and so does ${first}. Rename one of them.`, 'FWK302');
    fileOf.set(name, project.display(file));
    if (name === '')
      project.report(
        file,
        'has no letter in its name, so its queue would have no name. Rename the file.',
        'FWK832',
      );
    const module = await project.load(entry);
    if (!module || first !== undefined) return [];
    const definition = module.default;
    if (isQueue(definition)) {
      const label = `QUEUE ${name}`;
      return [{ ...entry, protocol: 'queue', label, id: label, name, definition }];
    }
    project.report(
      file,
      'does not export a queue. Write export default queue(async (data, ctx, job) => …), with queue from @fwkit/queue.',
      'FWK832',
    );
    return [];
  });
  return (await Promise.all(routes)).flat();
}

export const handlersOf = (routes: readonly BaseRoute[], project: Project): ReadonlyMap<string, Handler> =>
  new Map(routes.filter(isQueueRoute).map((route) => [route.name, handlerOf(route, project)]));
