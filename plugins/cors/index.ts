import { definePlugin, type Plugin, type Project, Stage } from '../../kernel/index.js';
import { isHttpRoute, mapHttpRoutes } from '../http/index.js';
import { type CorsOptions, corsOptions } from './options.js';
import { Policies } from './policies.js';

export { type CorsOptions, type CorsOrigin, corsOptions } from './options.js';

// Where it is declared: added to by way of an index, a project's own additions to it are lost (TypeScript 7.0).
declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** What pages of other origins may ask of this route, key by key in place of the config's `cors`; `false`: nothing. */
    readonly cors?: CorsOptions | false;
  }
}

/** Lets pages of other origins ask, where the config or a route says which (CORS). Other projects are left as they are. */
export function cors(): Plugin {
  return definePlugin({
    name: 'cors',
    needs: ['http'],
    options: corsOptions,
    apply(hooks, settings) {
      const policies = new Policies(settings);
      /** Projects in which pages of other origins may ask anything. */
      const allowing = new WeakSet<Project>();
      hooks.resolve.tapPromise('cors:config', async (routes, project) => {
        for (const mistake of policies.mistakes()) project.report('fwk.config', mistake, 'FWK405');
        return routes;
      });

      // When all routes are there.
      hooks.resolve.tapPromise({ name: 'cors:routes', stage: Stage.check }, async (routes, project) => {
        const own = routes.filter(isHttpRoute).filter(({ meta }) => meta.cors !== undefined);
        const mistakes = own.map((route) => ({ file: route.file, sentences: policies.routeMistakes(route) }));
        for (const { file, sentences } of mistakes)
          for (const sentence of sentences) project.report(file, sentence, 'FWK405');
        const isSound =
          mistakes.every(({ sentences }) => sentences.length === 0) && policies.mistakes().length === 0;
        if (isSound && (policies.isConfigured || own.length > 0)) allowing.add(project);
        return routes;
      });

      hooks.resolve.tapPromise({ name: 'cors', stage: Stage.front }, async (routes, project) => {
        if (!allowing.has(project)) return routes;
        const others = policies.frontOfOthers();
        return mapHttpRoutes(routes, 'cors', (route) => {
          const front = route.kind === 'none' ? others : policies.frontOf(route);
          return front && { front };
        });
      });
    },
  });
}
