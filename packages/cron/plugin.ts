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

/** How long a run whose signal has aborted is waited for, in milliseconds. */
const ABORTED_MS = 1_000;

const options = {
  /** How long a shutdown waits for a run to end, in milliseconds. Then its `signal` aborts, and the process ends with 1. */
  drainLimit: option.whole(10_000, { unit: 'milliseconds' }),
};

/** `cron` in `fwk.config`. */
export interface CronOptions extends OptionInput<typeof options> {}

/**
 * Files under `cron/` are jobs, which run at the times that they name: once for all processes that serve the app, on as many machines
 * as its peers reach.
 */
export const cron = (): Plugin =>
  definePlugin({
    name: 'cron',
    needs: ['http'],
    options,
    guide: () => import('./guide.js'),
    types: () => ({
      declarations: "  interface Config {\n    readonly cron?: import('@fwkit/cron').CronOptions;\n  }\n",
    }),
    apply(hooks, { drainLimit }) {
      hooks.discover.tap('cron', (claims) => claims.add('cron', 'cron/**'));

      hooks.resolve.tapPromise('cron', async (routes, project) => {
        const found = project.files('cron').map(async (entry): Promise<CronRoute | undefined> => {
          const module = await project.load(entry);
          if (jobs.has(module?.default)) return cronRoute(entry.kind, entry.file, module.default);
          if (module)
            project.report(
              entry.file,
              "is not a job. Export default job('0 3 * * *', async (ctx) => …).",
              'FWK840',
            );
          return undefined;
        });
        return [...routes, ...(await Promise.all(found)).filter((route) => route !== undefined)];
      });

      hooks.serve.tapPromise('cron', async ({ runtime, routes, project, onStart, onClose }) => {
        const found = routes.filter(isCronRoute);
        // A test app runs its jobs when it is told to.
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
          // After an edit a run takes the time that it needs.
          await Promise.race([ended, state.closed]);
          if (await settledWithin(ended, state.left(drainLimit))) return;
          runtime.cutOff = true;
          const late = schedules.filter(({ isRunning }) => isRunning);
          const names = late.map(({ file }) => file).join(', ');
          const message = `The process ends, and cron.drainLimit (${drainLimit} ms) is over`;
          logSafely(
            project.logger,
            'warn',
            `${message}: ${names} runs still, and is left to another process.`,
          );
          for (const schedule of late) schedule.cutOff(new Error(message));
          await settledWithin(ended, ABORTED_MS);
        });
      });
    },
  });
