import { definePlugin, type Plugin } from '../../kernel/index.js';
import { addFront, isHttpRoute } from '../http/index.js';
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
      hooks.resolve.tapPromise('cors:config', async (routes, project) => {
        for (const mistake of policies.mistakes()) project.report('fwk.config', mistake, 'FWK405');
        return routes;
      });

      // When all routes are there.
      hooks.resolve.tapPromise({ name: 'cors', stage: 1 }, async (routes, project) => {
        const own = routes.filter(isHttpRoute).filter(({ meta }) => meta.cors !== undefined);
        const mistakes = own.map((route) => ({ file: route.file, sentences: policies.routeMistakes(route) }));
        for (const { file, sentences } of mistakes)
          for (const sentence of sentences) project.report(file, sentence, 'FWK405');
        const isSound =
          mistakes.every(({ sentences }) => sentences.length === 0) && policies.mistakes().length === 0;
        if (isSound && (policies.isConfigured || own.length > 0))
          addFront(project, {
            name: 'cors',
            front: (route) => (route ? policies.frontOf(route) : policies.frontOfOthers()),
          });
        return routes;
      });
    },
  });
}
