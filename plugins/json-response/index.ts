import { definePlugin, type Plugin, Stage } from '../../kernel/index.js';
import {
  type CloveRequest,
  type CloveResponse,
  type Handler,
  isThenable,
  Refusal,
  wrapRoutes,
} from '../http/index.js';

/** What a handler returns becomes the response. */
export function jsonResponse(): Plugin {
  return definePlugin({
    name: 'json-response',
    needs: ['http'],
    apply(hooks) {
      wrapRoutes(hooks, { name: 'json-response', stage: Stage.finish }, (route) => ({
        ...route,
        handler: responding(route.handler),
      }));
    },
  });
}

const responding =
  (handler: Handler): Handler =>
  (req, res, ctx) => {
    const result = handler(req, res, ctx);
    return isThenable(result) ? result.then((value) => respond(value, req, res)) : respond(result, req, res);
  };

function respond(value: unknown, req: CloveRequest, res: CloveResponse): void {
  if (res.sent) return;
  if (value === undefined) return res.end();
  if (value === null) {
    if (req.method === 'GET' || req.method === 'HEAD')
      throw new Refusal(404, 'There is nothing at this address');
    return res.end();
  }
  if (value instanceof Uint8Array || (typeof value === 'string' && res.contentType !== undefined))
    return res.send(value);
  res.json(value);
}
