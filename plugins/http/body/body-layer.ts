import { HttpRequest } from '../request/request.js';
import type { Handler } from '../routing/route.js';

/**
 * The innermost layer of a route that takes bodies: its handler runs when the body has been read, and who is refused by a layer
 * around it has read nothing. What a bad body is refused with is thrown, where layers see it.
 */
export const withBody =
  (handler: Handler): Handler =>
  (req, res, ctx) => {
    const reading = HttpRequest.reading(req);
    return reading === undefined ? handler(req, res, ctx) : reading.then(() => handler(req, res, ctx));
  };
