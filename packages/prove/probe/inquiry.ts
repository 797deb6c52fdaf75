import { AsyncLocalStorage } from 'node:async_hooks';
import { type HttpRoute, isHttpRoute } from 'fwkit/http';
import { type McpCall, replaceMcpHandlers, wrapMcpCalls } from 'fwkit/mcp';
import { type BaseRoute, type Hooks, type Project, Stage } from 'fwkit/plugin';
import type { Ask, Selected } from '../policy/findings.js';
import type { Visitor } from '../policy/rule.js';
import { METADATA } from '../policy/targets.js';

/** What is found of one visitor at one target. */
export interface Verdict {
  readonly kind: 'open' | 'answered' | 'failed' | 'vacuous';
  readonly problem: string;
  readonly fix: string;
  readonly spelling?: string;
}

/** One visitor at one target, whichever rules ask. */
export class Inquiry {
  readonly target: Selected;
  readonly visitor: Visitor;
  readonly refuses: boolean;
  /** Whether requests that change nothing are not asked about. */
  readonly isOfMutations: boolean;
  /** Those that ask the same. */
  readonly asks: Ask[] = [];
  /** The flags of its handler: one will do. */
  readonly keys: readonly string[];
  /** Of a tool that is a route: the path of that. */
  readonly toolPath: string | undefined;
  /** The file that checks tokens of MCP clients, relative to the source directory; undefined where none does. */
  readonly auth: string | undefined;
  readonly request: ProbeRequest;
  /** Targets of one class are guarded by the same. */
  readonly classKey: string;
  verdict: Verdict | undefined;
  /** The status by which a visitor is refused, or let in. */
  status: number | undefined;

  constructor({ rule, target, visitor, refuses }: Ask, routes: readonly BaseRoute[]) {
    this.target = target;
    this.visitor = visitor;
    this.refuses = refuses;
    this.isOfMutations = rule.selector === 'mutations';
    const { member } = target;
    const called =
      member && routes.filter(isHttpRoute).find(({ file, tool }) => tool && file === member.file);
    this.toolPath = called?.path;
    this.auth = routes.find(({ kind }) => kind === METADATA)?.file;
    this.keys = member ? [memberKey(member), ...(called ? [called.id] : [])] : [target.route.id];
    const path = target.witness ?? filled(target.path);
    this.request = plainRequest({ kind: target.kind, method: target.method, path }, visitor.headers);
    this.classKey = classOf(this, called);
  }

  /** Forget what was found. */
  reset(): void {
    this.verdict = undefined;
    this.status = undefined;
  }

  /** What MCP clients call. */
  get isMember(): boolean {
    return this.target.member !== undefined;
  }

  /** `/mcp` itself, which has a handler of its own. */
  get isEndpoint(): boolean {
    return !this.isMember && this.target.kind === 'mcp';
  }
}

/** Routes with one chain, method, kind and meta are refused by the same. Layers of plugins may be around some of them. */
function classOf(
  { target, visitor, refuses, isOfMutations }: Inquiry,
  called: BaseRoute | undefined,
): string {
  const { chain, method, kind, meta, route, member } = target;
  const layers = (one: BaseRoute | undefined) =>
    one && isHttpRoute(one) ? [one.layers, one.chain, one.meta] : [];
  return JSON.stringify([
    visitor.name,
    refuses,
    isOfMutations,
    chain,
    method,
    kind,
    meta,
    layers(route),
    member?.scopes,
    called && isHttpRoute(called) ? [called.method, layers(called)] : [],
  ]);
}

/** The inquiries of `asks`, each once. `routes` are all of the project. */
export function inquiriesOf(asks: readonly Ask[], routes: readonly BaseRoute[]): readonly Inquiry[] {
  const inquiries = new Map<string, Inquiry>();
  for (const ask of asks) {
    const { rule, target, visitor, refuses } = ask;
    const id = target.member?.id ?? target.route.id;
    const key = JSON.stringify([visitor.name, refuses, id, target.witness, rule.selector === 'mutations']);
    const inquiry = inquiries.get(key) ?? new Inquiry(ask, routes);
    inquiry.asks.push(ask);
    inquiries.set(key, inquiry);
  }
  return [...inquiries.values()];
}

/** By what the flags of a member of `/mcp` are known. Those of a route by its id. */
const memberKey = ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
  `${kind} ${name}`;

/** The flags that requests have raised: each says that a request got as far as a handler. */
export class Flags {
  readonly #raised = new Map<string, Set<string>>();

  raise(key: string, mark: unknown): void {
    if (typeof mark !== 'string') return;
    const keys = this.#raised.get(mark) ?? new Set();
    this.#raised.set(mark, keys.add(key));
  }

  /** Whether the request with `mark` got as far as one of the handlers; without `keys`: as far as any. */
  has(mark: string, keys?: readonly string[]): boolean {
    const raised = this.#raised.get(mark);
    return raised !== undefined && (keys === undefined || keys.some((key) => raised.has(key)));
  }
}

/** Have each handler, socket and tool of one run raise a flag, and do nothing else. `hasMembers`: tools are asked for. */
export const raising =
  (flags: Flags, hasMembers: boolean) =>
  (hooks: Hooks): void => {
    const flagged = (route: HttpRoute): HttpRoute => ({
      ...route,
      handler: (req, res, ctx) => {
        flags.raise(route.id, req.header(MARK));
        // That of /mcp goes on: it checks tokens, and leads to tools.
        return route.kind === 'mcp' ? route.handler(req, res, ctx) : void res.status(204);
      },
    });

    // Inside of the layer that checks handshakes, and where they come from.
    hooks.resolve.tapPromise({ name: 'probe:sockets', stage: Stage.innermost }, async (routes) =>
      routes.map((route) => (isHttpRoute(route) && route.kind === 'ws' ? flagged(route) : route)),
    );

    // Inside of all that can refuse. Caches of handlers, their schemas and bodies are replaced with them; what is served over
    // other protocols, as jobs are, is left out, since nobody asks for it here and it must not run.
    hooks.resolve.tapPromise({ name: 'probe', stage: Stage.probe }, async (routes, project) => {
      raiseForMembers(flags, project, hasMembers);
      return routes
        .filter(isHttpRoute)
        .map((route): BaseRoute => (route.kind === 'ws' ? route : flagged(route)));
    });
  };

function raiseForMembers(flags: Flags, project: Project, areAsked: boolean): void {
  const calls = new AsyncLocalStorage<McpCall>();
  // Following calls makes each request slower.
  if (areAsked) wrapMcpCalls(project, (call, run) => calls.run(call, run));
  replaceMcpHandlers(project, (member) => {
    flags.raise(memberKey(member), calls.getStore()?.raw?.headers[MARK]);
    return 'raised';
  });
}

/** One request as it is sent, before it is bytes. */
export interface ProbeRequest {
  readonly method: string;
  /** Sent as it is: what is wrong with it is the point. */
  readonly target: string;
  /** Names are written as they are given. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The headers with `value` for `name`, however the name is written there. */
export function withHeader(
  headers: ProbeRequest['headers'],
  name: string,
  value: string,
): ProbeRequest['headers'] {
  const lower = name.toLowerCase();
  const others = Object.entries(headers).filter(([known]) => known.toLowerCase() !== lower);
  return { ...Object.fromEntries(others), [name]: value };
}

/** The headers of `given` in place of those of the same name. */
const withHeaders = (
  headers: ProbeRequest['headers'],
  given: Readonly<Record<string, string>>,
): ProbeRequest['headers'] =>
  Object.entries(given).reduce((all, [name, value]) => withHeader(all, name, value), headers);

/** The header that says which request it is. Whoever raises a flag reads it. */
export const MARK = 'x-fwk-probe';

/** A handshake (RFC 6455 §4.1). */
const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** Methods whose requests have a body. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Where a request goes. */
interface Destination {
  readonly kind: string;
  /** `ALL` is asked with POST. */
  readonly method: string;
  readonly path: string;
}

/** The request that a visitor with `headers` would send: as plain as it can be. */
function plainRequest({ kind, method, path }: Destination, headers: ProbeRequest['headers']): ProbeRequest {
  const own = withHeaders(
    kind === 'ws' ? { Host: 'localhost', ...HANDSHAKE } : { Host: 'localhost' },
    headers,
  );
  return withMethod({ method, target: path, headers: own }, method === 'ALL' ? 'POST' : method);
}

/** The request by another method, with a body where that has one. */
export function withMethod({ target, headers }: ProbeRequest, method: string): ProbeRequest {
  if (!WITH_BODY.has(method)) return { method, target, headers };
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const typed = hasType ? headers : { ...headers, 'Content-Type': 'application/json' };
  return { method, target, headers: typed, body: '{}' };
}

/** The value of each parameter. */
const FILL = 'x1';

/** A URL that a path with parameters answers. */
const filled = (path: string): string =>
  path.replace(/\/([:*])[^/]*/g, (_, kind) => (kind === '*' ? `/${FILL}/${FILL}` : `/${FILL}`)) || '/';

/** The values of its parameters there, by name. */
export const fills = (path: string): Record<string, string> =>
  Object.fromEntries(
    [...path.matchAll(/\/([:*])([^/]*)/g)].map(([, kind, name]) => [
      name,
      kind === '*' ? `${FILL}/${FILL}` : FILL,
    ]),
  );

/** The bytes of a request that is marked with `mark`. */
export function bytesOf({ method, target, headers, body }: ProbeRequest, mark: string): Buffer {
  const sent = {
    ...headers,
    [MARK]: mark,
    ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }),
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`, 'latin1');
}
