import { httpTransportOf, servesHttp } from 'fwkit/http';
import {
  definePlugin,
  logSafely,
  type OptionInput,
  option,
  type Plugin,
  peersOf,
  settledWithin,
} from 'fwkit/plugin';
import { type CronRoute, cronRoute, isCronRoute, jobs } from './job.js';
import { ProcessState, Schedule } from './schedule.js';

/** How long a shutdown waits for runs whose signal has aborted, in milliseconds. */
const ABORTED_MS = 1_000;

const options = {
  /** How long a shutdown waits for a run, in milliseconds. Then its `signal` aborts, and the process exits with code 1. */
  drainLimit: option.integer(10_000, { unit: 'milliseconds' }),
};

/** `cron` in `fwk.config`. */
export interface CronOptions extends OptionInput<typeof options> {}

/**
 * Runs each file in `cron/` as a scheduled job: once across all processes that serve the app, and across all machines if a plugin such as
 * `redis()` connects them.
 */
export const cron = (): Plugin =>
  definePlugin({
    name: 'cron',
    needs: ['http'],
    options,
    guide: () => import('./guide.js'),
    optionsType: "import('@fwkit/cron').CronOptions",
    apply(hooks, { drainLimit }) {
      hooks.discover.tap('cron', (claims) => claims.add('cron', 'cron/**'));

      hooks.resolve.tapPromise('cron', async (routes, project) => {
        const found = project.files('cron').map(async (entry): Promise<CronRoute | undefined> => {
          const module = await project.load(entry);
          if (jobs.has(module?.default)) return cronRoute(entry.kind, entry.file, module.default);
          if (module)
            project.report(
              entry.file,
              "does not export a job. Write export default job('0 3 * * *', async (ctx) => …).",
              'FWK840',
            );
          return undefined;
        });
        return [...routes, ...(await Promise.all(found)).filter((route) => route !== undefined)];
      });

      hooks.serve.tapPromise('cron', async ({ runtime, routes, project, onStart, onClose }) => {
        const found = routes.filter(isCronRoute);
        // A test app runs jobs only with runJob().
        const isTest = project.mode === 'test' && !httpTransportOf(runtime);
        if (found.length === 0 || !servesHttp(runtime) || isTest) return;
        const state = await ProcessState.of(runtime);
        const tab = { project, state, peers: peersOf(runtime), isAway: false };
        const schedules = found.map((route) => new Schedule(route, tab));
        onStart(() => {
          for (const schedule of schedules) schedule.start();
        });
        onClose(async () => {
          const ended = Promise.all(schedules.map((schedule) => schedule.stop()));
          // After a reload, a run may take as long as it needs. Only the shutdown of the process limits it.
          await Promise.race([ended, state.closed]);
          if (await settledWithin(ended, state.left(drainLimit))) return;
          runtime.cutOff = true;
          const late = schedules.filter(({ isRunning }) => isRunning);
          const names = late.map(({ file }) => file).join(', ');
          const message = `The process ends after cron.drainLimit (${drainLimit} ms)`;
          logSafely(
            project.logger,
            'warn',
            `${message} while these jobs still run: ${names}. Another process repeats them.`,
          );
          for (const schedule of late) schedule.cutOff(new Error(message));
          await settledWithin(ended, ABORTED_MS);
        });
      });
    },
  });
