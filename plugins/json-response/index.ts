import { definePlugin, type Plugin, Stage } from '../../kernel/index.js';
import {
  type CloveRequest,
  type CloveResponse,
  type Handler,
  isStreamBody,
  isThenable,
  NOT_FOUND,
  wrapRoutes,
} from '../http/index.js';

/** What a handler returns becomes the response. */
export function jsonResponse(): Plugin {
  return definePlugin({
    name: 'json-response',
    needs: ['http'],
    apply(hooks) {
      hooks.generate.tapPromise('json-response', async ({ target, contribute }) => {
        if (target === 'skills') contribute((await import('./guide.js')).GUIDANCE);
      });

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

function respond(value: unknown, req: CloveRequest, res: CloveResponse): unknown {
  if (res.sent) return undefined;
  if (value === undefined) return res.end();
  if (value === null) {
    if (req.method === 'GET' || req.method === 'HEAD') throw NOT_FOUND;
    return res.end();
  }
  if (typeof value === 'string') return res.contentType === undefined ? res.json(value) : res.send(value);
  if (typeof value !== 'object') return res.json(value);
  if (value instanceof Uint8Array) return res.send(value);
  if (isResponse(value)) return res.respond(value);
  return isStreamBody(value) ? res.stream(value) : res.json(value);
}

/** To name `Response` makes Node load its fetch, which takes 20 ms: only for what looks like one. */
const isResponse = (value: object): value is Response =>
  Symbol.toStringTag in value && value[Symbol.toStringTag] === 'Response' && value instanceof Response;
