import type { Hooks } from '../../kernel/index.js';
import { type HttpRoute, isHttpRoute } from './route.js';

/** Change every HTTP route while resolving. `wrap` runs once per route, at boot; its result serves every request. */
export function wrapRoutes(
  hooks: Hooks,
  tap: { readonly name: string; readonly stage: number },
  wrap: (route: HttpRoute) => HttpRoute,
): void {
  hooks.resolve.tapPromise(tap, async (routes) =>
    routes.map((route) => (isHttpRoute(route) ? wrap(route) : route)),
  );
}
