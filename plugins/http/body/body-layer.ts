import { HttpRequest } from '../request/request.js';
import type { Handler } from '../routing/route.js';

/**
 * The innermost layer of a route that takes bodies: its handler runs when the body has been read, and a request that
 * a layer around it answers is not read. The HttpProblem of a bad body is thrown, where layers see it.
 */
export const withBody =
  (handler: Handler): Handler =>
  (req, res, ctx) => {
    const reading = HttpRequest.whenBodyRead(req);
    return reading === undefined ? handler(req, res, ctx) : reading.then(() => handler(req, res, ctx));
  };
