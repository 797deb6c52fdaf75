import { type BaseRoute, type Hooks, type Project, Stage } from '../../../kernel/index.js';
import { withoutIdle } from '../routing/map-http-routes.js';
import { type HttpRoute, isHttpRoute } from '../routing/route.js';
import { isBare, isStandIn, type StandIn, standInsAtMounts } from './stand-in.js';
import { StandIns, setStandIns } from './stand-ins.js';

/** Have layers run around requests that no route answers, too: stand-ins are wrapped as routes are. */
export function tapLayers(hooks: Hooks): void {
  // The first tap of its stage, since this plugin is the first.
  hooks.resolve.tapPromise({ name: 'http:stand-ins', stage: Stage.wrap }, async (routes, project) => [
    ...routes,
    ...standInsAtMounts(project),
  ]);

  // Later layers turn results into responses. A stand-in that has no layer by now gets none of them.
  hooks.resolve.tapPromise({ name: 'http:wrapped', stage: Stage.respond - 1 }, async (routes, project) => {
    const isIdle = (route: BaseRoute): route is StandIn =>
      isHttpRoute(route) && isStandIn(route) && isBare(route);
    unwrapped(project).push(...routes.filter(isIdle));
    return routes
      .filter((route) => !isIdle(route))
      .map((route) => (isHttpRoute(route) ? bare(route) : route));
  });

  // The last tap of all: no other plugin, and no list of routes, shows them.
  hooks.resolve.tapPromise({ name: 'http:routes', stage: LAST }, async (routes, project) => {
    const found = routes.filter((route) => !(isHttpRoute(route) && isStandIn(route)));
    const standIns = [...routes.filter(isHttpRoute).filter(isStandIn), ...unwrapped(project)];
    setStandIns(project, new StandIns(standIns, found.filter(isHttpRoute)));
    return found;
  });
}

/** Stand-ins that no layer is around. */
const unwrapped = (project: Project): StandIn[] => project.slot<StandIn[]>('http.unwrapped', () => []);

/** A route with nothing around its handler: no layer could answer a request before its body has been read. */
function bare(route: HttpRoute): HttpRoute {
  const inner = withoutIdle(route);
  return inner === route ? route : { ...inner, readsFirst: true };
}

const LAST = Number.MAX_SAFE_INTEGER;
