import { type BaseRoute, type Hooks, type Project, Stage } from '../../../kernel/index.js';
import type { TrustProxy } from '../request/forwarded.js';
import { withFronts } from './front.js';
import { withoutUnneededLayers } from './map-http-routes.js';
import { isHttpRoute } from './route.js';
import { PlaceholderIndex, setPlaceholders } from './placeholder-index.js';
import {
  hasNoLayers,
  isPlaceholder,
  type PlaceholderRoute,
  placeholdersAtMounts,
} from './placeholders.js';

/** Have layers run around requests that no route answers, too: placeholder routes are wrapped as routes are. */
export function tapLayers(hooks: Hooks, trustProxy: TrustProxy): void {
  // The first tap of its stage, since this plugin is the first.
  hooks.resolve.tapPromise({ name: 'http:placeholders', stage: Stage.wrap }, async (routes, project) => [
    ...routes,
    ...placeholdersAtMounts(project),
  ]);

  // Later layers turn results into responses. A placeholder route without a layer by now gets none of them.
  hooks.resolve.tapPromise({ name: 'http:wrapped', stage: Stage.respond - 1 }, async (routes, project) => {
    const isUnwrapped = (route: BaseRoute): route is PlaceholderRoute =>
      isHttpRoute(route) && isPlaceholder(route) && hasNoLayers(route);
    unwrappedPlaceholders(project).push(...routes.filter(isUnwrapped));
    return routes
      .filter((route) => !isUnwrapped(route))
      .map((route) => (isHttpRoute(route) ? withoutUnneededLayers(route) : route));
  });

  // The last tap of all: no other plugin, and no list of routes, shows them.
  hooks.resolve.tapPromise({ name: 'http:routes', stage: LAST }, async (routes, project) => {
    const found = routes.filter((route) => !(isHttpRoute(route) && isPlaceholder(route)));
    const placeholders = [
      ...routes.filter(isHttpRoute).filter(isPlaceholder),
      ...unwrappedPlaceholders(project),
    ];
    setPlaceholders(project, new PlaceholderIndex(placeholders, found.filter(isHttpRoute)));
    return withFronts(found, project, trustProxy);
  });
}

/** Placeholder routes that no layer is around. */
const unwrappedPlaceholders = (project: Project): PlaceholderRoute[] =>
  project.slot<PlaceholderRoute[]>('http.unwrapped', () => []);

const LAST = Number.MAX_SAFE_INTEGER;
