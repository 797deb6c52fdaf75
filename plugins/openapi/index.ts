import { type BaseRoute, definePlugin, type Plugin, type Project, Stage } from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import { addFallback, type Handler, httpRoute, isHttpRoute, servesHttp } from '../http/index.js';
import { describedOf, openapiOptions } from './settings.js';

export { type ApiServer, openapiOptions, type SecurityScheme } from './settings.js';

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** `false` leaves the route out of the OpenAPI document. */
    readonly openapi?: false;
  }
}

const DOCUMENT = '/openapi.json';
const PAGE = '/_fwk/docs';

/** Loaded by the first request. */
const answering = onDemand(() => import('./answer.js'));
const checking = onDemand(() => import('./security.js'));

/** The OpenAPI document of the routes: printed by `fwk routes --openapi`, and served with a page. */
export function openapi(): Plugin {
  return definePlugin({
    name: 'openapi',
    needs: ['http'],
    options: openapiOptions,
    additions: [
      {
        command: 'routes',
        flag: { name: 'openapi', description: 'Print the OpenAPI document of the routes, as JSON' },
        load: () => import('./print.js'),
      },
    ],
    apply(hooks, settings) {
      // After all routes have been added, and inside the layers around them.
      hooks.resolve.tapPromise({ name: 'openapi', stage: Stage.inside }, async (routes, project) => {
        const listed = routes.filter(isHttpRoute);
        const timed = listed.filter(({ layers }) => layers.includes('http:timeout'));
        const described = describedOf(project);
        described.settings = settings;
        if (timed.length > 0) described.timed = new Set(timed.map(({ id }) => id));
        for (const { file, meta } of listed)
          if (meta.openapi !== undefined && meta.openapi !== false)
            project.report(
              file,
              `has .meta({ openapi: ${JSON.stringify(meta.openapi)} }). Make it false or leave it out.`,
              'FWK403',
            );
        return settings.serve === true ? [...routes, ...ownRoutes(routes, project)] : routes;
      });

      hooks.resolve.tapPromise({ name: 'openapi:security', stage: Stage.finish }, async (routes, project) => {
        // In production, a build has checked the definitions, and modules are imported when they are needed.
        if (project.mode === 'production' && project.run.purpose !== 'build') return routes;
        if (!routes.some((route) => isHttpRoute(route) && (route.definition ?? route.chain))) return routes;
        const { securityMistakes } = await checking();
        for (const { file = '', message, code } of await securityMistakes(routes, project, settings))
          project.report(file, message, code);
        return routes;
      });

      hooks.serve.tapPromise('openapi', async ({ routes, runtime, project }) => {
        describedOf(project).routes = routes;
        if (settings.serve !== 'development' || project.mode !== 'development' || !servesHttp(runtime))
          return;
        addFallback(project, async ({ method, path }, res) => {
          if (method !== 'GET' && method !== 'HEAD') return false;
          if (path === DOCUMENT) await (await answering()).sendDocument(project, res);
          else if (path === PAGE) await (await answering()).sendPage(res);
          else return false;
          return true;
        });
      });
    },
  });
}

/** The routes of document and page, for guards and CORS. A path that the project serves is left out. */
function ownRoutes(routes: readonly BaseRoute[], project: Project): BaseRoute[] {
  const isTaken = (path: string): boolean =>
    routes.some(
      (route) => isHttpRoute(route) && route.path === path && ['GET', 'ALL'].includes(route.method),
    );
  const own = (path: string, handler: Handler): BaseRoute[] =>
    isTaken(path)
      ? []
      : [httpRoute({ kind: 'openapi', file: 'plugin "openapi"', method: 'GET', path, meta: {}, handler })];
  return [
    ...own(DOCUMENT, async (_req, res) => (await answering()).sendDocument(project, res)),
    ...own(PAGE, async (_req, res) => (await answering()).sendPage(res)),
  ];
}
