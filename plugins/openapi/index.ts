import { type BaseRoute, definePlugin, type Plugin, type Project, Stage } from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import { addFallback, type HttpResponse, httpRoute, isHttpRoute, servesHttp } from '../http/index.js';
import type { OperationPatch } from './adjustments.js';
import { describedOf, documentsOf, type OpenapiSettings, openapiOptions } from './settings.js';

export { type ApiServer, openapiOptions, type SecurityScheme } from './settings.js';

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** Changes the route in the OpenAPI documents; `false` leaves it out. */
    readonly openapi?: false | OperationPatch;
  }
}

const USUAL_PAGE = openapiOptions.page.fallback;

/** Loaded by the first route with `.meta({ openapi })`. */
const adjusting = onDemand(() => import('./adjustments.js'));
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
        flag: {
          name: 'openapi',
          value: 'name',
          isOptional: true,
          description:
            'Print the OpenAPI document of the routes, or a document of openapi.documents, as JSON',
        },
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
        const changed = listed.filter(({ meta: { openapi = false } }) => openapi !== false);
        if (changed.length > 0)
          for (const { file, message } of (await adjusting()).patchMistakes(changed))
            project.report(file, message, 'FWK403');
        const twice = placeOfTwo(settings);
        if (twice !== undefined)
          project.report(
            'fwk.config',
            `has two documents or pages at "${twice}" in "openapi". Give each a path of its own.`,
            'FWK103',
          );
        return settings.serve === true ? [...routes, ...ownRoutes(routes, project, settings)] : routes;
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
        if (settings.serve === false || project.mode !== 'development' || !servesHttp(runtime)) return;
        const places = settings.serve === true ? [] : servedAt(settings);
        addFallback(project, async ({ method, path }, res) => {
          if (method !== 'GET' && method !== 'HEAD') return false;
          const served = places.find((one) => one.path === path);
          if (served) await served.send(project, res);
          // The dev page links to the usual path.
          else if (path === USUAL_PAGE && settings.page !== path) res.redirect(`..${settings.page}`);
          else return false;
          return true;
        });
      });
    },
  });
}

interface ServedFile {
  readonly path: string;
  send(project: Project, res: HttpResponse): Promise<void>;
}

/** All documents and pages. */
const servedAt = (settings: OpenapiSettings): ServedFile[] =>
  documentsOf(settings).flatMap((one) => [
    {
      path: one.path,
      send: async (project: Project, res: HttpResponse) =>
        (await answering()).sendDocument(project, one, res),
    },
    ...(one.pagePath === undefined
      ? []
      : [
          {
            path: one.pagePath,
            send: async (_: Project, res: HttpResponse) => (await answering()).sendPage(one, res),
          },
        ]),
  ]);

const placeOfTwo = (settings: OpenapiSettings): string | undefined =>
  servedAt(settings)
    .map(({ path }) => path)
    .find((path, index, all) => all.indexOf(path) < index);

/** The routes of the documents and pages, for guards and CORS. A path that the project serves is left out. */
function ownRoutes(routes: readonly BaseRoute[], project: Project, settings: OpenapiSettings): BaseRoute[] {
  const isTaken = (path: string): boolean =>
    routes.some(
      (route) => isHttpRoute(route) && route.path === path && ['GET', 'ALL'].includes(route.method),
    );
  return servedAt(settings)
    .filter(({ path }) => !isTaken(path))
    .map(({ path, send }) =>
      httpRoute({
        kind: 'openapi',
        file: 'plugin "openapi"',
        method: 'GET',
        path,
        meta: {},
        handler: async (_req, res) => send(project, res),
      }),
    );
}
