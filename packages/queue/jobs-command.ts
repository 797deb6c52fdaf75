import { appNameOf } from 'fwkit/peers';
import type { CommandRun } from 'fwkit/plugin';
import { Broker } from './broker.js';
import { CHANGES, countJobs, listJobs, refused, STATES, showJob } from './bull-queue.js';
import type { StoredJob } from './queue.js';
import { queueNames } from './queue-routes.js';

/** How long the broker may take to answer, in milliseconds. */
const LIMIT_MS = 30_000;
const ACTIONS = ['list', 'show', ...Object.keys(CHANGES)];
/** The maximum length of a printed error in characters. */
const MAX_ERROR = 80;

/** The settings of `queues()` that the command uses. */
interface Settings {
  readonly connection: () => unknown;
  readonly name?: string;
  readonly backend?: unknown;
}

/** `fwk jobs`: lists and changes the jobs that the broker stores. */
export const jobsCommand = (settings: Settings) => ({
  async run({ flags, operands, open }: CommandRun): Promise<void> {
    const [action = 'list', name, id, ...more] = operands;
    if (!ACTIONS.includes(action) || more.length > 0)
      throw refused(`fwk jobs has no action "${operands.join(' ')}". Use ${ACTIONS.join(', ')}.`);
    const state = STATES.find((one) => one === flags.state);
    if (flags.state !== undefined && !state) throw refused(`--state must be one of ${STATES.join(', ')}.`);
    if (action === 'show' && id === undefined)
      throw refused('Name the queue and the job: fwk jobs show mail 7');
    if (action === 'remove' && name === undefined) throw refused('Name the queue: fwk jobs remove mail');
    const project = (await open({ purpose: 'build' })).discover();
    const app = settings.name ?? (await appNameOf(project, 'queues', 'connection'));
    const { connection, backend } = settings;
    const made = { connection, backend, app, giveUp: LIMIT_MS };
    const broker = await Broker.open(made, [], project.logger);
    try {
      const known = await broker.names(queueNames(project), LIMIT_MS);
      if (name !== undefined && !known.includes(name))
        throw refused(`The app "${app}" has no queue "${name}". Its queues are ${known.join(', ')}.`);
      if (action === 'show' && name !== undefined)
        return printJson(await broker.ask(name, LIMIT_MS, (bull) => showJob(bull, { id })));
      if (action === 'list' && name !== undefined) {
        const jobs = await broker.ask(name, LIMIT_MS, (bull) => listJobs(bull, { state }));
        return flags.json === true ? printJson(jobs) : console.table(jobs.map(rowOf));
      }
      const counts: Record<string, object> = {};
      for (const queue of name === undefined ? known.sort() : [name])
        counts[queue] = await broker.ask(queue, LIMIT_MS, async (bull) => {
          await CHANGES[action]?.(bull, { id, state });
          return countJobs(bull);
        });
      if (flags.json === true) printJson(name === undefined ? counts : counts[name]);
      else console.table(counts);
    } finally {
      await broker.close(LIMIT_MS);
    }
  },
});

const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2));

/** The row of a job in a table of the console, which escapes control characters in texts of clients. */
const rowOf = ({ id, state, attemptsMade, addedAt, progress, failedReason = '' }: StoredJob): object => ({
  job: id,
  state,
  attempts: attemptsMade,
  added: addedAt.toISOString(),
  progress: progress ? `${progress.done}/${progress.total}` : '',
  error: failedReason.slice(0, MAX_ERROR),
});
