import { stripVTControlCharacters } from 'node:util';
import { appNameOf } from 'fwkit/peers';
import { BootError, type CommandRun } from 'fwkit/plugin';
import { Broker } from './broker.js';
import { type AnyQueue, countsOf, describe, find } from './bull-queue.js';
import type { StoredJob } from './queue.js';
import { queueNames } from './queue-routes.js';

/** How long the broker may take to answer, in milliseconds. */
const LIMIT_MS = 30_000;
const LISTED = 50;
const STATES = ['waiting', 'active', 'delayed', 'failed', 'completed'] as const;
/** The states of jobs that `remove` removes if none is given. */
const UNFINISHED_OR_FAILED = ['waiting', 'delayed', 'failed'];
const ACTIONS = 'list, show, retry, remove, pause or resume';

/** The settings of `queues()` that the command uses. */
interface Settings {
  readonly connection: () => unknown;
  readonly name?: string;
  readonly backend?: unknown;
}

interface Asked {
  readonly queue: string;
  readonly bull: AnyQueue;
  readonly id: string | undefined;
  readonly state: (typeof STATES)[number] | undefined;
}

type Act = (asked: Asked) => Promise<unknown>;

const jobOf = async ({ bull, queue, id = '' }: Asked) => {
  const job = await find(bull, id);
  if (job) return job;
  throw refused(`The queue "${queue}" has no job "${id}".`);
};

/** BullMQ keeps jobs with a priority in a list of their own. */
const listsOf = (states: readonly string[]) =>
  states.flatMap((state) => (state === 'waiting' ? ['waiting', 'prioritized'] : [state])) as 'waiting'[];

const ACTS: Readonly<Record<string, Act>> = {
  async list({ bull, state }) {
    const jobs = await bull.getJobs(listsOf(state ? [state] : STATES), 0, LISTED - 1, true);
    const described = await Promise.all(jobs.slice(0, LISTED).map((job) => job && describe(job)));
    return described.filter((job) => job !== undefined);
  },
  show: async (asked) => {
    const job = await jobOf(asked);
    return { ...(await describe(job)), stacktrace: job.stacktrace };
  },
  async retry(asked) {
    if (asked.id !== undefined) await (await jobOf(asked)).retry('failed');
    else await asked.bull.retryJobs({ state: 'failed' });
  },
  async remove(asked) {
    if (asked.id !== undefined) return (await jobOf(asked)).remove();
    for (const list of listsOf(asked.state ? [asked.state] : UNFINISHED_OR_FAILED))
      await asked.bull.clean(0, 0, list);
  },
  pause: ({ bull }) => bull.pause(),
  resume: ({ bull }) => bull.resume(),
};

const refused = (message: string): BootError => new BootError({ message, code: 'FWK833' });

/** `fwk jobs`: lists and changes the jobs that the broker stores. */
export const jobsCommand = (settings: Settings) => ({
  async run({ flags, operands, open }: CommandRun): Promise<void> {
    const [action = 'list', name, id, ...more] = operands;
    const act = ACTS[action];
    if (!act || more.length > 0)
      throw refused(`fwk jobs has no action "${operands.join(' ')}". Use ${ACTIONS}.`);
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
      const report: Record<string, unknown> = {};
      for (const queue of name === undefined ? known.sort() : [name])
        report[queue] = await broker.ask(queue, LIMIT_MS, async (bull) => {
          const done = await act({ queue, bull, id, state });
          if (name !== undefined && (action === 'list' || action === 'show')) return done;
          const { jobs, oldest } = await countsOf(queue, bull);
          return { ...jobs, oldest, isPaused: await bull.isPaused() };
        });
      const answer = name === undefined ? report : report[name];
      if (flags.json === true) console.log(JSON.stringify(answer, null, 2));
      else if (name !== undefined && action === 'show') console.log(JSON.stringify(answer, null, 2));
      else if (name !== undefined && action === 'list') printTable((answer as StoredJob[]).map(rowOf));
      else printTable(Object.entries(report).map(([queue, counts]) => ({ queue, ...(counts as object) })));
    } catch (thrown) {
      const { cause } = thrown as Error;
      throw cause instanceof BootError ? cause : thrown;
    } finally {
      await broker.close(LIMIT_MS);
    }
  },
});

const rowOf = ({ id, state, attemptsMade, addedAt, progress, failedReason = '' }: StoredJob): object => ({
  job: id,
  state,
  attempts: attemptsMade,
  added: addedAt.toISOString(),
  progress: progress ? `${progress.done}/${progress.total}` : '',
  error: failedReason,
});

function printTable(rows: readonly object[]): void {
  const [first] = rows;
  if (!first) return console.log('There are no jobs.');
  // Texts come from clients.
  const cells = [Object.keys(first), ...rows.map((row) => Object.values(row).map(textOf))];
  const widths = Object.keys(first).map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  for (const row of cells)
    console.log(
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

const textOf = (value: unknown): string =>
  stripVTControlCharacters(String(value)).replace(/\s+/g, ' ').slice(0, 100);
