import { isThenable } from '../../../kernel/index.js';
import { thrownIfError } from '../request/http-error.js';
import { HttpRequest } from '../request/request.js';
import type { Handler } from '../response/handler.js';

/**
 * The innermost layer of a route that takes bodies: its handler runs when the body has been read, and a request that
 * a layer around it answers is not read. The HttpProblem of a bad body is thrown, where layers see it, and so is an
 * error that the handler returns.
 */
export const withBody =
  (handler: Handler): Handler =>
  (req, res, ctx) => {
    const reading = HttpRequest.whenBodyRead(req);
    const result =
      reading === undefined ? handler(req, res, ctx) : reading.then(() => handler(req, res, ctx));
    return isThenable(result) ? Promise.resolve(result).then(thrownIfError) : thrownIfError(result);
  };
