import { type BaseRoute, isThenable } from '../../kernel/index.js';
import { type Handler, isHttpRoute } from '../http/index.js';
import { copyRoute, type TimeLayer } from '../http/internal.js';
import { recordOf } from './record.js';

/** Notes how long a handler takes of each request that is recorded. */
const timeLayer: TimeLayer = (name, handler) => {
  // Stacks are shown without it, by this name.
  const timedLayer: Handler = (req, res, ctx) => {
    const ended = recordOf(req.raw)?.enter(name);
    if (ended === undefined) return handler(req, res, ctx);
    try {
      const result = handler(req, res, ctx);
      // A thenable that is no promise does its work when it is awaited: that is not for us to do.
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

/** Routes whose layers are timed from now on, where they are not already, and with `withHandler` their handlers. */
export const timedRoutes = (routes: readonly BaseRoute[], withHandler: boolean): BaseRoute[] =>
  routes.map((route) => {
    if (!isHttpRoute(route) || route.timeLayer !== undefined) return route;
    const timed = copyRoute(route);
    timed.timeLayer = timeLayer;
    if (withHandler) timed.handler = timeLayer('handler', route.handler);
    return timed;
  });
