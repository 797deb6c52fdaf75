import { type BaseRoute, definePlugin, type Plugin, Stage } from '../../kernel/index.js';
import { isHttpRoute, wrapIo } from '../http/index.js';
import { compressionOptions } from './options.js';

export { compressionOptions } from './options.js';

/** Compresses responses, where `compression` in the config says so. */
export function compression(): Plugin {
  return definePlugin({
    name: 'compression',
    needs: ['http'],
    options: compressionOptions,
    apply(hooks, { enabled, ...settings }) {
      hooks.resolve.tapPromise({ name: 'compression', stage: Stage.check }, async (routes, project) => {
        for (const route of routes) {
          const mistake = mistakeIn(route);
          if (mistake !== undefined) project.report(route.file, mistake, 'FWK403');
        }
        return routes;
      });

      hooks.serve.tapPromise('compression', async ({ project }) => {
        if (!enabled) return;
        const { compressing } = await import('./compressing.js');
        wrapIo(project, (io, meta) => (meta.compression === false ? io : compressing(io, settings)));
      });
    },
  });
}

function mistakeIn(route: BaseRoute): string | undefined {
  if (!isHttpRoute(route)) return undefined;
  const given: unknown = route.meta.compression;
  return given === undefined || typeof given === 'boolean'
    ? undefined
    : `has .meta({ compression: ${JSON.stringify(given)} }). Make it true or false, or leave it out.`;
}

// Where it is declared: added to by way of an index, a project's own additions to it are lost (TypeScript 7.0).
declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** `false`: its responses are not compressed, as where they hold a secret beside what a visitor wrote (BREACH). */
    readonly compression?: boolean;
  }
}
