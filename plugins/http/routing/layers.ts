import { type BaseRoute, type Hooks, type Project, Stage, slotKey } from '../../../kernel/index.js';
import { setListedRoutes } from '../errors/send-error.js';
import { withoutUnneededLayers } from './map-http-routes.js';
import {
  hasNoLayers,
  isPlaceholder,
  PlaceholderIndex,
  type PlaceholderRoute,
  placeholdersAtMounts,
  setPlaceholders,
} from './placeholders.js';
import { type HttpRoute, isHttpRoute } from './route.js';

const UNWRAPPED = slotKey<PlaceholderRoute[]>('http.unwrapped');

/** Run layers also for requests that match no route: plugins wrap placeholder routes like other routes. */
export function tapLayers(hooks: Hooks): void {
  // This is the first tap of its stage, because this plugin is the first.
  hooks.resolve.tapPromise({ name: 'http:placeholders', stage: Stage.wrap }, async (routes, project) => [
    ...routes,
    ...placeholdersAtMounts(project),
  ]);

  // Layers of later stages turn results into responses. A placeholder route that has no layer so far gets none of them.
  hooks.resolve.tapPromise({ name: 'http:wrapped', stage: Stage.trim }, async (routes, project) => {
    const isUnwrapped = (route: BaseRoute): route is PlaceholderRoute =>
      isHttpRoute(route) && isPlaceholder(route) && hasNoLayers(route);
    const others: BaseRoute[] = [];
    for (const route of routes)
      if (isUnwrapped(route)) unwrappedPlaceholders(project).push(route);
      else others.push(isHttpRoute(route) ? withoutUnneededLayers(route) : route);
    return others;
  });

  // The first tap of its stage, because fronts also run for URLs without a layer.
  hooks.resolve.tapPromise({ name: 'http:unwrapped', stage: Stage.front }, async (routes, project) => [
    ...routes,
    ...unwrappedPlaceholders(project),
  ]);

  // The very last tap, so that no other plugin and no list of routes sees placeholders and hidden routes.
  hooks.resolve.tapPromise({ name: 'http:routes', stage: Stage.last }, async (routes, project) => {
    const [found, listed, placeholders]: [BaseRoute[], HttpRoute[], PlaceholderRoute[]] = [[], [], []];
    const hidden: HttpRoute[] = [];
    for (const route of routes) {
      if (!isHttpRoute(route)) found.push(route);
      else if (isPlaceholder(route)) placeholders.push(route);
      else if (route.hidden) hidden.push(route);
      else {
        found.push(route);
        listed.push(route);
      }
    }
    setPlaceholders(project, new PlaceholderIndex(placeholders));
    setListedRoutes(project, listed);
    const isTaken = ({ path }: HttpRoute): boolean => listed.some((route) => route.path === path);
    hiddenRoutes(project).push(...hidden.filter((route) => !isTaken(route)));
    return found;
  });
}

const unwrappedPlaceholders = (project: Project): PlaceholderRoute[] => project.slot(UNWRAPPED, () => []);

const HIDDEN = slotKey<HttpRoute[]>('http.hidden');

/** Routes that are served but not listed. Known once the plugin `http` has resolved. */
export const hiddenRoutes = (project: Project): HttpRoute[] => project.slot(HIDDEN, () => []);

/** The paths of health checks, which are answered whatever host they are for and however busy the process is. */
export const healthPaths = (project: Project): ReadonlySet<string> =>
  new Set(hiddenRoutes(project).map(({ path }) => path));
