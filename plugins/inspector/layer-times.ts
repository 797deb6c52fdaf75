import { type BaseRoute, isThenable } from '../../kernel/index.js';
import { type Handler, type HttpRoute, isHttpRoute } from '../http/index.js';
import { copyRoute, deriveRoute, type TimeLayer } from '../http/internal.js';
import { recordOf } from './record.js';

/** Records how long a handler takes for each recorded request. */
const timeLayer: TimeLayer = (name, handler) => {
  // Stack traces omit this frame, by this name.
  const timedLayer: Handler = (req, res, ctx) => {
    const ended = recordOf(req.raw)?.enter(name);
    if (ended === undefined) return handler(req, res, ctx);
    try {
      const result = handler(req, res, ctx);
      // A thenable that is not a promise may start its work when awaited, so it must not be awaited here.
      if (!isThenable(result) || !(result instanceof Promise)) {
        ended();
        return result;
      }
      return result.then(
        (value) => {
          ended();
          return value;
        },
        (thrown) => {
          ended();
          throw thrown;
        },
      );
    } catch (thrown) {
      ended();
      throw thrown;
    }
  };
  return timedLayer;
};

/** Measure the layers of the routes, if that is not done yet, and with `withHandler` also their handlers. */
export function timedRoutes(routes: readonly BaseRoute[], withHandler: boolean): BaseRoute[] {
  const uses = [withHandler];
  const timedRoute = (route: HttpRoute): HttpRoute => {
    const timed = copyRoute(route);
    timed.timeLayer = timeLayer;
    if (withHandler) timed.handler = timeLayer('handler', route.handler);
    return timed;
  };
  return routes.map((route) =>
    isHttpRoute(route) && route.timeLayer === undefined
      ? deriveRoute(route, 'inspector', uses, timedRoute)
      : route,
  );
}
