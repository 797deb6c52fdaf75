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
    unwrappedPlaceholders(project).push(...routes.filter(isUnwrapped));
    return routes
      .filter((route) => !isUnwrapped(route))
      .map((route) => (isHttpRoute(route) ? withoutUnneededLayers(route) : route));
  });

  // The first tap of its stage, because fronts also run for URLs without a layer.
  hooks.resolve.tapPromise({ name: 'http:unwrapped', stage: Stage.front }, async (routes, project) => [
    ...routes,
    ...unwrappedPlaceholders(project),
  ]);

  // The very last tap, so that no other plugin and no list of routes sees placeholders and hidden routes.
  hooks.resolve.tapPromise({ name: 'http:routes', stage: Stage.last }, async (routes, project) => {
    const all = routes.filter(isHttpRoute);
    const found = routes.filter((route) => !(isHttpRoute(route) && (isPlaceholder(route) || route.hidden)));
    const listed = found.filter(isHttpRoute);
    setPlaceholders(project, new PlaceholderIndex(all.filter(isPlaceholder)));
    setListedRoutes(project, listed);
    const taken = new Set(listed.map(({ path }) => path));
    hiddenRoutes(project).push(...all.filter(({ path, hidden }) => hidden && !taken.has(path)));
    return found;
  });
}

const unwrappedPlaceholders = (project: Project): PlaceholderRoute[] => project.slot(UNWRAPPED, () => []);

const HIDDEN = slotKey<HttpRoute[]>('http.hidden');

/** Routes that are served but not listed. Known once the plugin `http` has resolved. */
export const hiddenRoutes = (project: Project): HttpRoute[] => project.slot(HIDDEN, () => []);
