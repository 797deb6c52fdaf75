import { addInspectorView } from 'fwkit/mcp';
import { isObject, type Project } from 'fwkit/plugin';
import type { Broker } from './broker.js';
import { type AnyQueue, CHANGES, countJobs, listJobs, STATES } from './bull-queue.js';
import { queueNames } from './queue-routes.js';

/** Add a view to the dev page that shows the queues, and the jobs of one queue in one state. */
export function addJobsView(project: Project, broker: Broker, limit: number): void {
  const names = queueNames(project);
  const ask = <T>(queue: string, act: (bull: AnyQueue) => Promise<T>) => broker.ask(queue, limit, act);
  const button = (text: string, queue: string, id?: string) => ({
    text,
    action: { change: text.toLowerCase(), queue, id },
  });
  addInspectorView(project, {
    title: 'Jobs',
    async read(path) {
      const counts = names.map(async (queue) => {
        const { isPaused, ...count } = await ask(queue, countJobs);
        const cells = STATES.map((state) => ({ text: String(count[state]), path: `${queue}/${state}` }));
        return [queue, ...cells, button(isPaused ? 'Resume' : 'Pause', queue)];
      });
      const columns = ['Queue', 'Waiting', 'Active', 'Delayed', 'Failed', 'Completed', 'Change'];
      const queues = { title: 'Queues', columns, rows: await Promise.all(counts) };
      const [queue = '', state] = path.split('/');
      if (!names.includes(queue)) return [queues];
      const jobs = await ask(queue, (bull) => listJobs(bull, { state }));
      const rows = jobs.map(({ id, data, attemptsMade, addedAt, failedReason = '', ...job }) => [
        id,
        JSON.stringify(data).slice(0, 100),
        String(attemptsMade),
        addedAt.toISOString(),
        failedReason,
        job.state === 'failed' ? button('Retry', queue, id) : '',
        job.state === 'active' ? '' : button('Remove', queue, id),
      ]);
      const about = ['Job', 'Data', 'Attempts', 'Added', 'Error', 'Retry', 'Remove'];
      return [queues, { title: `${queue}: ${state}`, columns: about, rows }];
    },
    async act(action) {
      const { change, queue, id } = isObject(action) ? action : {};
      if (typeof queue !== 'string' || !names.includes(queue)) return;
      const name = String(change);
      if (Object.hasOwn(CHANGES, name))
        await ask(queue, async (bull) => CHANGES[name]?.(bull, id === undefined ? {} : { id: String(id) }));
    },
  });
}
