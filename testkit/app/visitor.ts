import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { createClient, type SocketLike } from '../../client/index.js';
import { parsed } from '../../client/internal.js';
import type { BaseRoute } from '../../kernel/index.js';
import {
  fetchFrom,
  followRedirects,
  type HttpRoute,
  isHttpRoute,
  memoryConnections,
  Router,
} from '../../plugins/http/index.js';
import { CookieJar } from '../../plugins/http/internal.js';
import { testError } from '../test-error.js';
import { type TestEvents, testEvents } from './events.js';
import { testMcp } from './mcp.js';
import { Queue, refusalOf } from './queue.js';
import type {
  Ask,
  EventsAt,
  Send,
  TestClosing,
  TestSocket,
  TestSocketOptions,
  TestVisitor,
} from './test-visitor.js';

/** How clients reach a test app. */
const ORIGIN = 'http://localhost';

/** The connection that handlers see in tests: a client on this machine. */
const ENDS = {
  remoteAddress: '127.0.0.1',
  remoteFamily: 'IPv4',
  remotePort: 49_152,
  localAddress: '127.0.0.1',
  localPort: 80,
};

type OpenSocket = (path: string, settings: Required<TestSocketOptions>) => WebSocket;

/** Returns a function that opens sockets to `server`: the client is the package `ws`, and the handshake is real. */
export async function socketsTo(server: Server): Promise<OpenSocket> {
  const [{ WebSocket }, connectTo] = await Promise.all([import('ws'), memoryConnections()]);
  // Its type asks for sockets of `node:net`, but it only uses members that all streams have.
  const createConnection = () => connectTo(server, ENDS) as Socket;
  return (path, { headers, protocols }) => {
    const url = new URL(path, ORIGIN);
    url.protocol = 'ws:';
    return new WebSocket(url, [...protocols], { headers, createConnection });
  };
}

export interface TestTarget {
  readonly node: Server;
  readonly routes: readonly BaseRoute[];
  /** Undefined if the app has no sockets. */
  readonly openSocket: OpenSocket | undefined;
  /** The current time in milliseconds since the epoch, for the expiry of cookies. */
  readonly date: () => number;
  /** Calls `work` and records the resources that it opens. */
  readonly inside: <T>(work: () => T) => T;
  /** Throws if the app is closed. `what` is the request: `GET /api/books`. */
  readonly refuseLate: (what: string) => void;
}

/** Headers of requests from a page of the app itself, as a browser sends them: they pass the `csrf` check. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** Create a visitor. `given`: headers of all its requests. */
export function testVisitor(target: TestTarget, given: Readonly<Record<string, string>> = {}): TestVisitor {
  const { node, routes, openSocket, date, inside, refuseLate } = target;
  const jar = new CookieJar(date);

  const visit = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    refuseLate(`${request.method} ${pathname}${search}`);
    const response = await inside(() => fetchFrom(node, request, ENDS));
    jar.keep(response.headers.getSetCookie());
    return response;
  };
  const headersOf = (own: Readonly<Record<string, string>> = {}) => {
    const headers = new Headers({ ...OWN_PAGE, ...jar.header() });
    for (const [name, value] of Object.entries({ ...given, ...own })) headers.set(name, value);
    return headers;
  };
  const request: TestVisitor['request'] = (method, path, { headers, body, signal } = {}) => {
    const json = isPlain(body);
    const sent = headersOf(headers);
    if (json && !sent.has('content-type')) sent.set('content-type', 'application/json');
    const init: RequestInit & { duplex: 'half' } = {
      method,
      headers: sent,
      redirect: 'manual',
      duplex: 'half',
    };
    if (body !== undefined)
      init.body = json ? JSON.stringify(body) : (body as NonNullable<RequestInit['body']>);
    if (signal) init.signal = signal;
    return visit(new Request(new URL(path, ORIGIN), init));
  };
  const ask =
    (method: string): Ask =>
    (path, options) =>
      request(method, path, options);
  const send =
    (method: string): Send =>
    (path, body, options) =>
      request(method, path, { ...options, body });
  const open = (path: string, { headers, protocols = [] }: TestSocketOptions = {}) => {
    refuseLate(`WS ${path}`);
    if (!openSocket)
      throw testError('FWK905', `WS ${path} cannot be opened: the app has no file under ws/`, TypeError);
    const all = { origin: ORIGIN, ...Object.fromEntries(headersOf(headers)) };
    return inside(() => openSocket(path, { headers: all, protocols }));
  };
  // The client calls it with `new`.
  function openedSocket(url: string): SocketLike {
    const { pathname, search } = new URL(url);
    return open(pathname + search);
  }
  const sse: TestVisitor['sse'] = async (path, { headers, lastEventId, signal } = {}) => {
    const stop = new AbortController();
    if (signal?.aborted) stop.abort(signal.reason);
    signal?.addEventListener('abort', () => stop.abort(signal.reason), { once: true });
    const sent = {
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      ...headers,
    };
    const response = await request('GET', path, { headers: sent, signal: stop.signal });
    // The message has the route's type, because its schemas have checked it.
    return testEvents(response, `GET ${path}`, stop) as Promise<TestEvents<EventsAt<typeof path>>>;
  };
  const ws = async (path: string, options?: TestSocketOptions) =>
    testSocket(open(path, options), path, takesJson(routes, path), (cookies) => jar.keep(cookies));
  return {
    get: ask('GET'),
    head: ask('HEAD'),
    options: ask('OPTIONS'),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    del: send('DELETE'),
    request,
    fetch: (first, init) => {
      const request = new Request(first instanceof Request ? first : new URL(first, ORIGIN), init);
      for (const [name, value] of headersOf())
        if (!request.headers.has(name)) request.headers.set(name, value);
      return visit(request);
    },
    api: createClient(ORIGIN, {
      fetch: (first, init) => {
        if (init?.redirect !== 'follow') return visit(first);
        return followRedirects((next) => {
          // A response may have set cookies.
          for (const [name, value] of Object.entries(jar.header())) next.headers.set(name, value);
          return visit(next);
        }, first);
      },
      headers: () => headersOf(),
      WebSocket: openedSocket as never,
    }),
    ws: ws as TestVisitor['ws'],
    sse,
    mcp: testMcp((body, headers) => request('POST', '/mcp', { body, headers })),
    cookies: jar.cookies,
  };
}

const isPlain = (body: unknown): boolean =>
  Array.isArray(body) ||
  (typeof body === 'object' &&
    body !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(body)));

/** The open connection of `raw`. Rejects with a TestRefusal if the handshake is refused. `onCookies` receives its cookies. */
async function testSocket(
  raw: WebSocket,
  path: string,
  allJson: boolean,
  onCookies: (headers: readonly string[]) => void,
): Promise<TestSocket> {
  const messages = new Queue<unknown>();
  const closed = new Promise<TestClosing>((resolve) => {
    raw.on('close', (code: number, reason: Buffer) => {
      messages.end();
      resolve({ code, reason: String(reason) });
    });
  });
  raw.on('message', (data: Buffer, isBinary: boolean) =>
    messages.push(isBinary ? data : parsed(String(data))),
  );
  await opened(raw, path, onCookies);
  // An error is followed by the close event, which has all the information.
  raw.on('error', () => {});
  const next = async (): Promise<unknown> => {
    const result = await messages.next(`WS ${path} sent no message`);
    if (!result.done) return result.value;
    const { code, reason } = await closed;
    throw testError('FWK904', `WS ${path} sent no message more: it was closed with ${code} "${reason}"`);
  };
  return {
    protocol: raw.protocol,
    send(message) {
      if (raw.readyState !== raw.OPEN) throw testError('FWK904', `WS ${path} is closed: nothing can be sent`);
      raw.send(dataOf(message, allJson));
    },
    next,
    close(code, reason) {
      raw.close(code, reason);
      return closed;
    },
    closed,
    terminate: () => raw.terminate(),
    [Symbol.asyncIterator]: () => messages[Symbol.asyncIterator](),
  };
}

function opened(
  raw: WebSocket,
  path: string,
  onCookies: (headers: readonly string[]) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    raw.once('open', resolve).once('error', reject);
    raw.once('upgrade', ({ headers }: IncomingMessage) => onCookies(headers['set-cookie'] ?? []));
    raw.once('unexpected-response', (_request, answer: IncomingMessage) => {
      onCookies(answer.headers['set-cookie'] ?? []);
      refused(answer, path).then(reject, reject);
    });
  });
}

async function refused(answer: IncomingMessage, path: string): Promise<Error> {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = answer;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  const body = status === 204 || status === 304 ? null : Buffer.concat(pieces);
  return refusalOf(new Response(body, { status, statusText, headers }), `WS ${path}`, '101');
}

function dataOf(message: unknown, allJson: boolean): string | Uint8Array {
  if (message instanceof Uint8Array) return message;
  if (message instanceof ArrayBuffer) return new Uint8Array(message);
  if (typeof message === 'string' && !allJson) return message;
  const text: string | undefined = JSON.stringify(message);
  if (text !== undefined) return text;
  throw testError(
    'FWK502',
    `A message is text, bytes or what JSON has, not a value of type ${typeof message}`,
    TypeError,
  );
}

/** Whether the socket at `path` accepts only JSON: it has a schema for `receive`. */
function takesJson(routes: readonly BaseRoute[], path: string): boolean {
  const sockets = new Router<HttpRoute>();
  for (const route of routes) if (isHttpRoute(route) && route.kind === 'ws') sockets.add(route, route);
  const found = sockets.find('GET', new URL(path, ORIGIN).pathname.replace(/(?<=.)\/$/, ''));
  return typeof found === 'object' && 'value' in found && (found.value.checks?.includes('receive') ?? false);
}
