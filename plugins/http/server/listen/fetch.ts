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

/** Statuses whose response has no body (RFC 9110 §6.4.1); the web Response refuses one. */
const BODILESS = new Set([204, 205, 304]);

/**
 * Answer a web Request from `server`, over a connection in memory: what answers cannot tell it from a socket, so
 * nothing is emulated. The response streams. `ends`: the properties of the connection, as `endsOf` gives them.
 */
export async function fetchFrom(server: Server, request: Request, ends?: object): Promise<Response> {
  const { method, url, headers, body, signal } = request;
  const { pathname, search, host } = new URL(url);
  const path = pathname + search;
  const given = { host, ...Object.fromEntries(headers), ...(body ? { 'transfer-encoding': 'chunked' } : {}) };
  const { out, answered } = exchange(server, { method, path, headers: given, signal }, ends);
  // A server may answer before it has read all; what becomes of the rest is not the caller's concern.
  if (body) pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), out).catch(() => {});
  else out.end();
  return toResponse(await answered, method);
}

/** The client's end of a connection in memory to `server`, which has the properties of `ends`. */
export function connectTo(server: Server, ends: object = {}): Duplex {
  const [client, socket] = duplexPair();
  Object.assign(socket, ends);
  // No network answers within the call that writes: what follows in there would come after the end.
  for (const end of [client, socket]) {
    const write = end._write.bind(end);
    end._write = (...args) => process.nextTick(write, ...args);
  }
  server.emit('connection', socket);
  // The ends of a pair know nothing of each other's end.
  client.once('close', () => socket.destroy());
  socket.once('close', () => {
    if (client.destroyed) return;
    // Its own end would wait for the other one to take note of it.
    const end = (): void => void client.destroy();
    if (client.readableEnded) return end();
    client.once('end', end).push(null);
  });
  return client;
}

/** A request over a connection in memory, which has the properties of `ends`: what is to be written, and the answer. */
export function exchange(server: Server, options: RequestOptions, ends: object = {}) {
  const [client, socket] = duplexPair();
  Object.assign(socket, ends);
  server.emit('connection', socket);
  // Not by `request()`, which tracers replace: nobody has sent a request to another process.
  const out = new ClientRequest({ ...options, createConnection: () => client });
  let complete = (): boolean => false;
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    out.once('error', reject).once('response', (message) => {
      complete = () => message.complete;
      resolve(message);
    });
  });
  // The ends of a pair know nothing of each other's end in Node 20: the server has to see that its client has gone.
  client.once('close', () => {
    if (!complete()) return void socket.destroy();
    // What it has received was sent, although nobody reads on: the writer's callback waits for the next read.
    client._read(0);
    setImmediate(() => socket.destroy());
  });
  // The client would wait forever for the rest of an answer that the server has broken off.
  socket.once('close', () => socket.writableFinished || client.push(null));
  return { out, answered };
}

/** The properties of a connection from which the client's address and the scheme of a request are known. */
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
  /** Whether it also sees where the request comes from. */
  readonly isKnown: boolean;
  /** Called with the request as the handler gets it. */
  readonly prepare?: (req: HttpRequest) => void;
}

const RUN = Symbol('run');

/** It never listens: connections in memory are handed to it. */
let server: Server | undefined;

/**
 * Have `handler` answer a GET for the URL of `of`, in a scope of its own, which doesn't end with the client of `of`. The body of the
 * response has to be read or destroyed. If the handler throws, this rejects with the error, or the body fails with it.
 */
export async function runDetached(
  project: Project,
  handler: Handler,
  of: HttpRequest,
  { headers, isKnown, prepare }: DetachedSettings,
): Promise<IncomingMessage> {
  server ??= createServer((raw, out) => void Reflect.get(raw.socket, RUN)?.(raw, out));
  let failure: { readonly thrown: unknown } | undefined;
  let message: IncomingMessage | undefined;
  const run = async (raw: IncomingMessage, out: ServerResponse): Promise<void> => {
    const own = HttpRequest.settingsOf(of);
    const req = new HttpRequest(raw, out, of.route, of.params, isKnown ? own : { ...own, trustProxy: false });
    const res = new HttpResponse(out);
    refuseNonce(
      out,
      `A nonce is of one response, and those of ${of.route.file ?? of.path} are cached: leave it out of them, or do not cache them`,
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
  const search = HttpRequest.search(of);
  const ends = isKnown ? endsOf(of.raw.socket) : { encrypted: protocol === 'https:' };
  const { out, answered } = exchange(
    server,
    {
      method: 'GET',
      path: search === '' ? of.path : `${of.path}?${search}`,
      headers: { host, ...headers, connection: 'close' },
    },
    { ...ends, [RUN]: run },
  );
  out.end();
  // The end of the connection is often noticed before what has brought it about.
  message = await answered.catch((cause) => {
    throw failure ? failure.thrown : cause;
  });
  if (failure) {
    message.destroy();
    throw failure.thrown;
  }
  return message;
}
