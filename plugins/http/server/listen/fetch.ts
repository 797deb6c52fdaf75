import {
  ClientRequest,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers';
import type { Project } from '../../../../kernel/index.js';
import { scopesOf } from '../../../../scope/index.js';
import { HttpRequest } from '../../request/request.js';
import type { Handler } from '../../response/handler.js';
import { refuseNonce } from '../../response/nonce.js';
import { HttpResponse } from '../../response/response.js';

/** Statuses whose response has no body (RFC 9110 §6.4.1). The web Response constructor rejects a body for them. */
const BODILESS = new Set([204, 205, 304]);

/** Headers about another connection (RFC 9110 §7.6.1) and the length of a body as the caller knows it. As in `fetch`, they are ignored. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Answer a web Request with `server` over an in-memory connection. The server can't distinguish it from a socket, so nothing
 * is emulated. The response is streamed. `ends`: the properties of the connection, from `endsOf`.
 */
export async function fetchFrom(server: Server, request: Request, ends?: object): Promise<Response> {
  const { method, url, headers, body, signal } = request;
  const { pathname, search, host } = new URL(url);
  const path = pathname + search;
  const own = [...headers].filter(([name]) => !OF_CONNECTION.has(name));
  const given = { host, ...Object.fromEntries(own), ...(body ? { 'transfer-encoding': 'chunked' } : {}) };
  const { out, answered } = exchange(server, { method, path, headers: given, signal }, ends);
  // A server may respond before it has read the whole body. The caller need not care about the rest.
  if (body) pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), out).catch(() => {});
  else out.end();
  try {
    const message = await answered;
    const stop = (): void => void message.destroy(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    message.once('close', () => signal.removeEventListener('abort', stop));
    return toResponse(message, method);
  } catch (thrown) {
    // Node's own error would be the same for every reason.
    throw signal.aborted ? signal.reason : thrown;
  }
}

/** Create the client's end of an in-memory connection to `server`, with the properties in `ends`. */
export function connectTo(server: Server, ends: object = {}): Duplex {
  const [client, socket] = duplexPair();
  Object.assign(socket, ends);
  // Writes are delayed, because no network responds synchronously: code after the write would run after the end.
  for (const end of [client, socket]) {
    const write = end._write.bind(end);
    end._write = (...args) => process.nextTick(write, ...args);
  }
  server.emit('connection', socket);
  // The two ends of the pair don't close each other.
  client.once('close', () => socket.destroy());
  socket.once('close', () => {
    if (client.destroyed) return;
    // Without this, the client's end would wait for the server to consume it.
    const end = (): void => void client.destroy();
    if (client.readableEnded) return end();
    client.once('end', end).push(null);
  });
  return client;
}

/** Start a request over an in-memory connection with the properties in `ends`. Returns the request to write to, and the response. */
export function exchange(server: Server, options: RequestOptions, ends: object = {}) {
  const [client, socket] = duplexPair();
  Object.assign(socket, ends);
  server.emit('connection', socket);
  // Not `request()`, which tracers patch: no request is sent to another process.
  const out = new ClientRequest({ ...options, createConnection: () => client });
  let complete = (): boolean => false;
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    out.once('error', reject).once('response', (message) => {
      complete = () => message.complete;
      resolve(message);
    });
  });
  // In Node 20, the two ends of the pair don't close each other, but the server must notice that the client has disconnected.
  client.once('close', () => {
    if (!complete()) return void socket.destroy();
    // The received data has been sent even if nobody reads it: the callback of the writer waits for the next read.
    client._read(0);
    setImmediate(() => socket.destroy());
  });
  // Without this, the client would wait forever for the rest of a response that the server has cut off.
  socket.once('close', () => socket.writableFinished || client.push(null));
  return { out, answered };
}

/** The properties of a connection that determine the client's address and the scheme of a request. */
export const endsOf = (from: Socket): object => ({
  remoteAddress: from.remoteAddress,
  remotePort: from.remotePort,
  remoteFamily: from.remoteFamily,
  localAddress: from.localAddress,
  localPort: from.localPort,
  encrypted: 'encrypted' in from && from.encrypted,
});

function toResponse(message: IncomingMessage, method: string): Response {
  const { statusCode: status = 200, statusMessage: statusText = '', rawHeaders } = message;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  const empty = method === 'HEAD' || BODILESS.has(status);
  if (empty) message.resume();
  const body = empty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  return new Response(body, { status, statusText, headers });
}

export interface DetachedSettings {
  /** All headers that the handler sees. */
  readonly headers: OutgoingHttpHeaders;
  /** Whether it also sees the address and the scheme of the original client. */
  readonly isKnown: boolean;
  /** The query string that it sees, without `?`. Default: the query string of `of`. */
  readonly search?: string | undefined;
  /** Called with the request before the handler. */
  readonly prepare?: (req: HttpRequest) => void;
  /** The request that it sees. Default: a GET for the URL of `of`. */
  readonly as?: Pick<HttpRequest, 'method' | 'path' | 'route' | 'params'>;
}

const RUN = Symbol('run');

/** This server never listens: it is given in-memory connections. */
let server: Server | undefined;

/**
 * Have `handler` answer a request on behalf of `of`, in its own scope, which doesn't end when the client of `of` disconnects.
 * The caller must read or destroy the body of the response. If the handler throws, this rejects with the error, or the body
 * fails with it.
 */
export async function runDetached(
  project: Project,
  handler: Handler,
  of: HttpRequest,
  { headers, isKnown, prepare, as, search = as ? '' : HttpRequest.search(of) }: DetachedSettings,
): Promise<IncomingMessage> {
  server ??= createServer((raw, out) => void Reflect.get(raw.socket, RUN)?.(raw, out));
  let failure: { readonly thrown: unknown } | undefined;
  let message: IncomingMessage | undefined;
  const run = async (raw: IncomingMessage, out: ServerResponse): Promise<void> => {
    const own = HttpRequest.settingsOf(of);
    const { route, params } = as ?? of;
    const req = new HttpRequest(raw, out, route, params, isKnown ? own : { ...own, trustProxy: false });
    const res = new HttpResponse(out);
    if (!as)
      refuseNonce(
        out,
        `A nonce is valid for one response only, but the responses of ${of.route.file ?? of.path} are cached. Remove the nonce, or do not cache them`,
      );
    const scope = scopesOf(project).open(req);
    try {
      prepare?.(req);
      await handler(req, res, scope.ctx);
      if (!res.sent && !res.isStreaming) res.end();
      await res.settled();
    } catch (thrown) {
      failure = { thrown };
      message?.destroy(thrown as Error);
      out.destroy();
    } finally {
      if (out.closed) await scope.close();
      else out.once('close', () => void scope.close());
    }
  };
  const { host, protocol } = of.url;
  const path = (as ?? of).path;
  const ends = isKnown ? endsOf(of.raw.socket) : { encrypted: protocol === 'https:' };
  const { out, answered } = exchange(
    server,
    {
      method: as?.method ?? 'GET',
      path: search === '' ? path : `${path}?${search}`,
      headers: { host, ...headers, connection: 'close' },
    },
    { ...ends, [RUN]: run },
  );
  out.end();
  // The close of the connection is often noticed before its cause.
  message = await answered.catch((cause) => {
    throw failure ? failure.thrown : cause;
  });
  if (failure) {
    message.destroy();
    throw failure.thrown;
  }
  return message;
}

/** The limit of `fetch` (WHATWG Fetch §4.4). */
const MAX_REDIRECTS = 20;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Send a request, and follow redirects as `fetch` does, within the origin of the request. A redirect to another origin is
 * returned. Rejects with a TypeError after 20 redirects.
 */
export async function followRedirects(
  send: (request: Request) => Promise<Response>,
  first: Request,
): Promise<Response> {
  let request = first;
  for (let left = MAX_REDIRECTS; ; left -= 1) {
    const { method, url, signal } = request;
    const headers = new Headers(request.headers);
    // The body is sent again after 307 and 308.
    const again = request.body ? request.clone() : request;
    const response = await send(request);
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) return response;
    const next = new URL(location, url);
    if (next.origin !== new URL(url).origin) return response;
    await response.body?.cancel();
    if (left === 0) throw new TypeError(`${first.url} redirects more than ${MAX_REDIRECTS} times`);
    const becomesGet =
      response.status === 303 ? method !== 'HEAD' : response.status < 303 && method === 'POST';
    if (becomesGet)
      for (const name of ['content-encoding', 'content-language', 'content-location', 'content-type'])
        headers.delete(name);
    const { body } = becomesGet ? { body: null } : again;
    request = new Request(next, {
      method: becomesGet ? 'GET' : method,
      headers,
      signal,
      ...(body ? { body, duplex: 'half' } : {}),
    });
  }
}
