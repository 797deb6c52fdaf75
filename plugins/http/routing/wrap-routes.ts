import type { Hooks } from '../../../kernel/index.js';
import { type Handler, type HttpRoute, isHttpRoute } from './route.js';

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

/** What is inside of each layer that only other layers need. */
const inside = new WeakMap<Handler, Handler>();

/** Put `layer` around `handler` for what layers around it see; where there are none, it is taken out again. */
export function forLayers(handler: Handler, layer: Handler): Handler {
  inside.set(layer, handler);
  return layer;
}

/** A handler without such layers where no other is around them. */
export const withoutIdle = (handler: Handler): Handler => {
  const idle = inside.get(handler);
  return idle ? withoutIdle(idle) : handler;
};
