import { coded, definePlugin, isThenable, type Plugin, Stage } from '../../kernel/index.js';
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type HttpRoute,
  isHttpError,
  mapHttpRoutes,
} from '../http/index.js';
import { answers, inContext, isStreamBody, NOT_FOUND, projectOf, type StreamBody } from '../http/internal.js';

/** The return value of a handler becomes the response. */
export function jsonResponse(): Plugin {
  return definePlugin({
    name: 'json-response',
    needs: ['http'],
    apply(hooks) {
      // A returned null or error() is thrown inside the other layers, so that they see the error.
      hooks.resolve.tapPromise({ name: 'json-response:null', stage: Stage.inside }, async (routes) =>
        mapHttpRoutes(
          routes,
          'json-response:null',
          (route) =>
            mayBeMissing(route) ? { handler: missing(route.handler), droppedIfInnermost: true } : undefined,
          [],
        ),
      );

      hooks.resolve.tapPromise({ name: 'json-response', stage: Stage.respond }, async (routes, { mode }) => {
        const isStrict = mode === 'development';
        return mapHttpRoutes(routes, 'json-response', ({ handler }) => responding(handler, isStrict), [
          isStrict,
        ]);
      });
    },
  });
}

const responding =
  (handler: Handler, isStrict: boolean): Handler =>
  (req, res, ctx) => {
    const result = handler(req, res, ctx);
    return isThenable(result)
      ? Promise.resolve(result).then((value) => respond(value, req, res, isStrict))
      : respond(result, req, res, isStrict);
  };

/** For these methods, null means that the resource does not exist. */
const mayBeMissing = ({ method }: HttpRoute): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'ALL';

const missing =
  (handler: Handler): Handler =>
  (req, res, ctx) => {
    const result = handler(req, res, ctx);
    if (isThenable(result)) return Promise.resolve(result).then((value) => found(value, req, res));
    return typeof result === 'object' ? found(result, req, res) : result;
  };

function found(value: unknown, req: HttpRequest, res: HttpResponse): unknown {
  if (value === null && !res.sent && (req.method === 'GET' || req.method === 'HEAD')) throw NOT_FOUND;
  if (value instanceof Error && isHttpError(value)) throw value;
  // A missing resource is a 404 error that the layers see.
  if (typeof value === 'object' && value !== null && Symbol.toStringTag in value)
    return answers.has(value) ? value.find(projectOf(req)).then(() => value) : inContext(value);
  return value;
}

function respond(value: unknown, req: HttpRequest, res: HttpResponse, isStrict: boolean): unknown {
  if (res.sent) return undefined;
  if (value === undefined) return res.isStreaming ? undefined : res.end();
  if (value === null) {
    if (req.method === 'GET' || req.method === 'HEAD') throw NOT_FOUND;
    return res.end();
  }
  if (typeof value === 'string') return res.contentType === undefined ? res.json(value) : res.send(value);
  if (typeof value !== 'object') return res.json(value);
  if (value instanceof Uint8Array) return res.send(value);
  // The error was returned, because no layer needed it thrown.
  if (value instanceof Error && isHttpError(value)) throw value;
  // A plain object is not examined further.
  if (Symbol.toStringTag in value) {
    if (isResponse(value)) return res.respond(value);
    if (answers.has(value)) return value.send(req, res, projectOf(req));
    if (value instanceof ArrayBuffer) return res.send(new Uint8Array(value));
    if (value instanceof Map || value instanceof Set) throw loses(value, '');
  }
  if (value instanceof Error) throw loses(value, '');
  if (!isStreamBody(value)) {
    // JSON would silently become {} there. The search takes as long as the JSON.
    if (isStrict) checkContent(value);
    return res.json(value);
  }
  // The head of an event stream is sent immediately.
  const isEager = res.contentType?.startsWith('text/event-stream');
  // A 304 response runs no generator.
  return isGenerator(value) && !isEager && !res.isNotModified ? streamPieces(value, res) : res.stream(value);
}

/** How deep a result is searched for values that JSON loses. */
const MAX_DEPTH = 20;

/** Throw for a value inside a result that JSON would turn into {}. */
function checkContent(value: object, path = '', depth = 0): void {
  if (depth > MAX_DEPTH || ('toJSON' in value && typeof value.toJSON === 'function')) return;
  if (value instanceof Map || value instanceof Set || value instanceof Error || isThenable(value))
    throw loses(value, path);
  for (const [key, inner] of Object.entries(value))
    if (typeof inner === 'object' && inner !== null)
      checkContent(inner, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, depth + 1);
}

function loses(value: object, path: string): Error {
  const kind = isThenable(value)
    ? 'promise'
    : value instanceof Error
      ? 'Error'
      : value instanceof Map
        ? 'Map'
        : 'Set';
  const advice = {
    promise: 'Await it',
    Error: 'Throw it, or return error() from fwkit',
    Map: 'Convert it with Object.fromEntries()',
    Set: 'Convert it to an array',
  }[kind];
  const place = path === '' ? '' : ` at ${path.replace(/^\./, '')}`;
  return coded(
    'FWK410',
    `the result contains a value of type ${kind}${place}, whose content JSON loses. ${advice}`,
  );
}

/** Naming `Response` loads Node's fetch, which takes 20 ms: only done for a value that looks like one. */
const isResponse = (
  value: object & { [Symbol.toStringTag]: unknown },
): value is Response & {
  [Symbol.toStringTag]: unknown;
} => value[Symbol.toStringTag] === 'Response' && value instanceof Response;

type Piece = string | Uint8Array;
type Pieces = AsyncIterable<Piece> & AsyncIterator<Piece>;

/** Whether the stream is a generator of the handler, whose code runs when the first piece is read. */
const isGenerator = (body: StreamBody): body is StreamBody & Pieces =>
  Symbol.asyncIterator in body && 'next' in body && typeof body.next === 'function';

/**
 * Send the output of a generator. It runs to its first piece before the head is created, so that
 * the status, type, headers and session values that it sets before are sent.
 */
async function streamPieces(pieces: Pieces, res: HttpResponse): Promise<void> {
  const first = await pieces.next();
  // The handler took too long, and a timeout response has been sent.
  if (res.sent) return void (await pieces.return?.());
  return res.stream(resumed(first, pieces));
}

/** `first`, and the pieces after it. */
function resumed(first: IteratorResult<Piece>, rest: Pieces): Pieces {
  let isBegun = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (isBegun) return rest.next();
      isBegun = true;
      return Promise.resolve(first);
    },
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  };
}
