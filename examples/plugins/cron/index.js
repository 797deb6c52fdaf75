import { brand, Deferred, definePlugin, option, peersOf, scopesOf } from 'fwkit/plugin';

/** @import { BaseRoute, Brand, Runtime } from 'fwkit/plugin' */
/** @import { Job, JobRoute } from './index.js' */

/** @type {Brand<Job>} */
const jobs = brand('fwk-cron.job');
const UNITS = new Map(Object.entries({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 }));

/** @type {typeof import('./index.js').every} */
export function every(interval, run) {
  const [, count, unit = 'ms'] = /^(\d+)(ms|s|m|h)?$/.exec(String(interval)) ?? [];
  const ms = Number(count) * Number(UNITS.get(unit));
  if (typeof run !== 'function') throw new TypeError('every() takes a function (ctx) to run');
  if (ms >= 1 && ms < 2 ** 31) return Object.freeze(jobs.mark({ ms, run }));
  throw new TypeError(`every() takes milliseconds or a text like "10s", not ${JSON.stringify(interval)}`);
}

/** @type {typeof import('./index.js').cron} */
export const cron = () =>
  definePlugin({
    name: 'cron',
    options: { atStart: option.boolean(false) },
    optionsType: "import('fwk-cron').CronOptions",
    apply(hooks, { atStart }) {
      hooks.discover.tap('cron', (claims) => claims.add('cron', 'cron/**'));

      hooks.resolve.tapPromise('cron', async (routes, project) => {
        const found = project.files('cron').map(async (entry) => {
          const module = await project.load(entry);
          const label = `CRON ${entry.file.replace(/^cron\/|\.m?[jt]s$/g, '')}`;
          if (jobs.has(module?.default))
            return { ...entry, protocol: 'cron', label, id: label, job: module.default };
          if (module)
            project.report(
              entry.file,
              `is not a job. Export default every('10s', async (ctx) => …).`,
              'CRON-1',
            );
        });
        return [...routes, ...(await Promise.all(found)).filter((route) => route !== undefined)];
      });

      hooks.serve.tapPromise('cron', async ({ runtime, routes, project, onStart, onClose }) => {
        // Kept across reloads, so that a job never overlaps with itself: its last run may still be active.
        const running = await runtime.getOrCreate('cron.running', () => new Map());
        const { elected } = await runtime.getOrCreate('cron.elected', () => ({
          elected: electedIn(runtime),
        }));
        for (const { id, file, job } of routes.filter(isJobRoute)) {
          const run = async () => {
            const scope = scopesOf(project).open(undefined);
            const failed = (thrown) => project.logger.error(`${project.display(file)} failed`, thrown);
            await Promise.resolve(scope.ctx).then(job.run).catch(failed);
            await scope.close();
            running.delete(id);
          };
          const tick = () => void (running.has(id) || running.set(id, run()));
          onStart(() => {
            let isOver = false;
            let timer;
            void elected.then(() => {
              if (isOver) return;
              timer = setInterval(tick, job.ms);
              if (atStart) tick();
            });
            onClose(() => {
              isOver = true;
              clearInterval(timer);
              return running.get(id);
            });
          });
        }
      });
    },
  });

/** If several workers serve the app, one of them runs the jobs: the first, and after its exit another. */
function electedIn(/** @type {Runtime} */ runtime) {
  const [elected, ended] = [new Deferred(), new Deferred()];
  runtime.onEnd(() => ended.resolve());
  void peersOf(runtime).lock('cron.jobs', () => {
    elected.resolve();
    return ended.promise;
  });
  return elected.promise;
}

/**
 * @param {BaseRoute} route
 * @returns {route is JobRoute}
 */
const isJobRoute = (route) => route.protocol === 'cron';
