import { brand, definePlugin, option, scopesOf } from 'fwkit/plugin';

/** @import { BaseRoute } from 'fwkit/plugin' */
/** @import { WarmUp, WarmUpRoute } from './index.js' */

/** Marks the results of defineWarmUp(), even if another copy of this package created them. */
const mark = /** @type {typeof brand<WarmUp>} */ (brand)('fwk-warm-up.definition');

/** @type {typeof import('./index.js').defineWarmUp} */
export function defineWarmUp(run) {
  if (typeof run !== 'function') throw new TypeError('defineWarmUp() takes a function (ctx)');
  return mark.mark({ run });
}

/** @type {typeof import('./index.js').warmUp} */
export const warmUp = () =>
  definePlugin({
    name: 'warm-up',
    options: { quiet: option.boolean(false) },
    guide: () => import('./guide.js'),
    // The type of its options in fwk.config.
    optionsType: "import('fwk-warm-up').WarmUpOptions",
    apply(hooks, { quiet }) {
      // Claims files by path, without reading them.
      hooks.discover.tap('warm-up', (claims) => claims.add('warm-up', 'warm-up/**'));

      // Imports the files, once per version, and reports each one that is wrong.
      hooks.resolve.tapPromise('warm-up', async (routes, project) => {
        const found = project.files('warm-up').map(async (entry) => {
          const module = await project.load(entry);
          const definition = module?.default;
          const label = `WARM-UP ${entry.file.replace(/^warm-up\/|\.m?[jt]s$/g, '')}`;
          if (mark.has(definition)) return [{ ...entry, protocol: 'warm-up', label, id: label, definition }];
          const message = 'is not of warm-up. Export default defineWarmUp((ctx) => …).';
          if (module) project.report(entry.file, message, 'WARM_UP-1');
          return [];
        });
        return [...routes, ...(await Promise.all(found)).flat()];
      });

      // Runs the files when this version of the project serves.
      hooks.serve.tapPromise('warm-up', async ({ routes, project, onStart, onClose }) => {
        const { logger } = project;
        for (const { file, label, definition } of routes.filter(isOwn)) {
          const run = async () => {
            // A ctx with values that live for one run, as for one request.
            const scope = scopesOf(project).open(undefined);
            try {
              await definition.run(scope.ctx);
              if (!quiet) logger.info(`${label} is done.`);
            } catch (thrown) {
              logger.error({ err: thrown }, `${project.display(file)} failed`);
            } finally {
              await scope.close();
            }
          };
          // Not earlier: until a version starts, it may still be rolled back.
          onStart(() => {
            const running = run();
            // The next version, or the end of the app, waits for this run.
            onClose(() => running);
          });
        }
      });
    },
  });

/**
 * @param {BaseRoute} route
 * @returns {route is WarmUpRoute}
 */
const isOwn = (route) => route.protocol === 'warm-up';
