import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { NOT_FOUND } from '../request/http-error.js';
import type { HttpRequest } from '../request/request.js';
import { makePrivate } from '../response/headers.js';
import { HttpResponse } from '../response/response.js';
import { all, type Endpoint } from './endpoint.js';

/** A handler of Node's `http` module, or an Express or Connect application. */
type NodeHandler = (raw: IncomingMessage, out: ServerResponse, next: (failure?: unknown) => void) => unknown;

/**
 * Answer all methods of a route with a handler of Node's `http` module, or with an Express or Connect application: `export
 * default fromNode(app)`. It gets Node's own request with the full path and an unread body. The headers that middlewares set
 * are sent, too. If it calls `next()`, the response is a 404. An error that it throws or passes to `next` is handled like an
 * error of any handler.
 */
export const fromNode = (handler: NodeHandler): Endpoint<'ALL'> =>
  all((req, res) => run(handler, req, res)).meta({ body: 'stream' });

async function run(handler: NodeHandler, { raw }: HttpRequest, res: HttpResponse): Promise<void> {
  const out = res.raw;
  const headers = await res.detachForUpgrade();
  for (let index = 0; index < headers.length; index += 2)
    out.appendHeader(headers[index] ?? '', headers[index + 1] ?? '');
  if (HttpResponse.isPrivate(res)) keepHeadPrivate(out);
  try {
    await new Promise<void>((resolve, reject) => {
      if (out.closed) return resolve();
      // Also emitted if the client disconnects.
      out.once('close', resolve).once('finish', resolve);
      const next = (failure?: unknown): void => reject(failure ?? NOT_FOUND);
      new Promise((settle) => settle(handler(raw, out, next))).catch(reject);
    });
  } catch (thrown) {
    if (!out.headersSent) HttpResponse.reopen(res);
    throw thrown;
  }
}

type Value = string | number | readonly string[] | undefined;
type Head = OutgoingHttpHeaders | readonly Value[] | readonly (readonly [string, Value])[];

/** The response has the cookie of a visitor, and the handler may allow shared caches to store it: Node calls `writeHead` for each head. */
function keepHeadPrivate(out: ServerResponse): void {
  const writeHead = out.writeHead.bind(out);
  out.writeHead = (status: number, first?: string | Head, second?: Head) => {
    const [reason, head = []] = typeof first === 'string' ? [first, second] : [undefined, first];
    const entries = entriesOf(head);
    for (const [name] of entries) out.removeHeader(name);
    for (const [name, value = ''] of entries)
      out.appendHeader(name, typeof value === 'number' ? String(value) : value);
    const cacheControl: string[] = [];
    makePrivate(out, cacheControl);
    if (cacheControl[1] !== undefined) out.setHeader('Cache-Control', cacheControl[1]);
    return reason === undefined ? writeHead(status) : writeHead(status, reason);
  };
}

/** Names and values alternate in a list, or are its pairs. */
function entriesOf(head: Head): readonly (readonly [string, Value])[] {
  if (!Array.isArray(head)) return Object.entries(head);
  if (Array.isArray(head[0])) return head;
  return head.flatMap((name, index) => (index % 2 === 0 ? [[String(name), head[index + 1]] as const] : []));
}
