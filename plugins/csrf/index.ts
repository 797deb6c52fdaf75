import { listOf, oneOf, option } from '../../contributions/index.js';
import { definePlugin, isObject, type Plugin, Stage } from '../../kernel/index.js';
import { sessionFiles } from '../context/index.js';
import { addPageValue, type HttpRoute, isHttpRoute, mapHttpRoutes } from '../http/index.js';
import { isAtOrBelow, isOrigin, isPathPrefix } from '../http/internal.js';
import { csrfField } from './token.js';

export { csrfField, csrfToken } from './token.js';

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** `false`: any page may send requests with cookies. Default: only pages of the app's own origin and of `csrf.origins` may. */
    readonly csrf?: false;
  }
}

export const csrfOptions = {
  /** When requests are checked: with session values only, or always, for a project's own cookies. */
  when: oneOf(['sessions', 'always'], 'sessions'),
  /** Other origins, in addition to the server's own, whose pages may send requests that change something. */
  origins: listOf('a list of origins, such as "https://admin.shop.example"', isOrigin),
  /** Paths below which nothing is checked, for example `/api/webhooks`. */
  paths: option.custom<Readonly<Record<string, false>>>(
    {},
    'an object with false by path, such as { "/api/webhooks": false }',
    (value): value is Readonly<Record<string, false>> =>
      isObject(value) &&
      Object.entries(value).every(([path, checked]) => isPathPrefix(path) && checked === false),
  ),
};

const SAFE = ['GET', 'HEAD', 'OPTIONS'];

/** Rejects requests that a page of another origin makes a visitor's browser send (CSRF). */
export function csrf(): Plugin {
  return definePlugin({
    name: 'csrf',
    needs: ['http'],
    options: csrfOptions,
    apply(hooks, { when, origins, paths }) {
      // After the body was read, and before a schema validates it.
      hooks.resolve.tapPromise({ name: 'csrf:field', stage: Stage.innermost }, async (routes, project) => {
        if (when === 'sessions' && sessionFiles(project).length === 0) return routes;
        const { withoutField } = await import('./guard.js');
        return mapHttpRoutes(
          routes,
          'csrf:field',
          (route) =>
            isChecked(route, Object.keys(paths)) && route.meta.body !== 'stream'
              ? withoutField(route.handler)
              : undefined,
          [paths],
        );
      });

      // Around the middlewares, which may change something, and inside the session, which has the tokens.
      hooks.resolve.tapPromise({ name: 'csrf', stage: Stage.refuse }, async (routes, project) => {
        const http = routes.filter(isHttpRoute);
        for (const { file, meta } of http)
          if (meta.csrf !== undefined && meta.csrf !== false)
            project.report(
              file,
              `has .meta({ csrf: ${JSON.stringify(meta.csrf)} }). Make it false or leave it out.`,
              'FWK403',
            );
        if (when === 'sessions' && sessionFiles(project).length === 0) return routes;
        addPageValue(project, 'csrfField', csrfField, { isText: true });
        const except = Object.keys(paths);
        const { withCsrfCheck } = await import('./guard.js');
        const settings = {
          origins: new Set(origins),
          hasOwnCookies: when === 'always',
          explains: project.mode === 'development',
        };
        return mapHttpRoutes(
          routes,
          'csrf',
          (route) => (isChecked(route, except) ? withCsrfCheck(route.handler, settings) : undefined),
          [when, origins, paths, project.mode],
        );
      });
    },
  });
}

/** A placeholder without layers has nothing to protect: it answers 404 or 405. */
const isChecked = ({ kind, method, path, meta, layers }: HttpRoute, except: readonly string[]): boolean =>
  !SAFE.includes(method) &&
  meta.csrf !== false &&
  !(kind === 'none' && layers.length === 0) &&
  !except.some((one) => isAtOrBelow(path, one));
