/// <reference types="node" preserve="true" />
/** The entry for tests of an app or a plugin, published as `fwkit/testing`. */

import { type Client, createClient, type SocketLike } from '../client/index.js';
import type { PeersEngine, RuntimeCtx } from '../kernel/index.js';
import { type BaseRoute, testLoader } from '../kernel/internal.js';
import type { GivenLogger } from '../plugins/context/index.js';
import { conventionDirectories } from './builtins.js';
import { type App, embed } from './create-app.js';
import { locate } from './locate.js';
import { givenOrOwn, silentLogger } from './loggers.js';
import { type Config, openKernel } from './open-kernel.js';

export {
  type BrokenLaw,
  type PluginFixtures,
  type PluginLaw,
  PluginLawError,
  type PluginReport,
  type PluginTestApp,
  pluginLaws,
  testPlugin,
} from './plugin-testing/index.js';

export { type TestMachine, testMachines } from './test-machines.js';

export interface TestAppOptions extends Config {
  /** The project, as `--dir` takes it. Default: the current directory. */
  readonly dir?: string;
  /** Values of `ctx` to use instead of the project's; what they replace is never made. */
  readonly overrides?: Partial<RuntimeCtx>;
  /** Default: silence. */
  readonly logger?: GivenLogger;
  /** One of `testMachines()`, for a test of several. */
  readonly machine?: PeersEngine;
}

export interface TestRequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Plain objects and arrays are sent as JSON; all else as `fetch` sends it. */
  readonly body?: unknown;
}

type Ask = (path: string, options?: TestRequestOptions) => Promise<Response>;

/** A booted project to ask in a test, without a socket. It keeps cookies as a browser would, and sends what a page of the app would. */
export interface TestApp {
  readonly get: Ask;
  readonly head: Ask;
  readonly options: Ask;
  readonly post: (path: string, body?: unknown, options?: TestRequestOptions) => Promise<Response>;
  readonly put: (path: string, body?: unknown, options?: TestRequestOptions) => Promise<Response>;
  readonly patch: (path: string, body?: unknown, options?: TestRequestOptions) => Promise<Response>;
  readonly del: (path: string, body?: unknown, options?: TestRequestOptions) => Promise<Response>;
  readonly request: (method: string, path: string, options?: TestRequestOptions) => Promise<Response>;
  /** The typed client of the app, with the same cookies: `app.api('/api/books').post({ body })`. It has no sockets. */
  readonly api: Client;
  /** The cookies that the app has set, by name. Clear it to be a new visitor. */
  readonly cookies: Map<string, string>;
  readonly routes: readonly BaseRoute[];
  /** The singletons. What lives for one request or visitor is in `run`. */
  readonly ctx: App['ctx'];
  /** Call a function with the `ctx` of a scope of its own, in which no request is served: see `App.run`. */
  readonly run: App['run'];
  readonly close: App['close'];
}

/** Boot the sources of a project for a test. Throws BootError with every problem of the project. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { dir = '.', overrides = {}, logger = silentLogger, machine, ...override } = options;
  const paths = locate(dir, conventionDirectories());
  process.env.NODE_ENV ??= 'test';
  const mode = process.env.NODE_ENV;
  const loader = await testLoader(paths.root);
  const app = await embed(
    await openKernel({ paths, mode, loader, logger: givenOrOwn(logger), override, overrides }),
    machine,
  );
  const cookies = new Map<string, string>();

  const visit = async (request: Request): Promise<Response> => {
    const response = await app.fetch(request);
    for (const cookie of response.headers.getSetCookie()) keep(cookie, cookies);
    return response;
  };
  const request: TestApp['request'] = (method, path, { headers = {}, body } = {}) => {
    const json = isPlain(body);
    const init: RequestInit & { duplex: 'half' } = {
      method,
      headers: {
        ...OWN_PAGE,
        ...cookieHeader(cookies),
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      redirect: 'manual',
      duplex: 'half',
    };
    if (body !== undefined)
      init.body = json ? JSON.stringify(body) : (body as NonNullable<RequestInit['body']>);
    return visit(new Request(new URL(path, ORIGIN), init));
  };
  const ask =
    (method: string): Ask =>
    (path, given) =>
      request(method, path, given);
  const send = (method: string) => (path: string, body?: unknown, given?: TestRequestOptions) =>
    request(method, path, { ...given, body });
  return {
    get: ask('GET'),
    head: ask('HEAD'),
    options: ask('OPTIONS'),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    del: send('DELETE'),
    request,
    api: createClient(ORIGIN, {
      fetch: visit,
      headers: () => ({ ...OWN_PAGE, ...cookieHeader(cookies) }),
      WebSocket: NoSocket,
    }),
    cookies,
    routes: app.routes,
    ctx: app.ctx,
    run: app.run,
    close: app.close,
  };
}

const ORIGIN = 'http://localhost';

/** Requests are those of a page of the app itself, as a browser sends them: they pass the check of `csrf`. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

class NoSocket implements SocketLike {
  readonly readyState = 0;

  constructor() {
    throw new TypeError('A test app has no sockets, since it listens nowhere. Serve it with createApp().');
  }

  send(): void {}
  close(): void {}
  addEventListener(): void {}
}

const isPlain = (body: unknown): boolean =>
  Array.isArray(body) ||
  (typeof body === 'object' &&
    body !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(body)));

function cookieHeader(cookies: ReadonlyMap<string, string>): Record<string, string> {
  if (cookies.size === 0) return {};
  return { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
}

/** Keep what a `Set-Cookie` header sets, or forget what it ends. All of a test is one origin: paths do not matter. */
function keep(header: string, cookies: Map<string, string>): void {
  const [pair = '', ...attributes] = header.split(/;\s*/);
  const equals = pair.indexOf('=');
  const name = pair.slice(0, equals);
  const ended = attributes.some((attribute) => {
    const [key = '', value = ''] = attribute.split('=');
    if (key.toLowerCase() === 'max-age') return Number(value) <= 0;
    return key.toLowerCase() === 'expires' && Date.parse(value) <= Date.now();
  });
  if (ended) cookies.delete(name);
  else cookies.set(name, pair.slice(equals + 1));
}
