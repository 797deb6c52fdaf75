import { AsyncLocalStorage } from 'node:async_hooks';
import { type HttpRoute, isHttpRoute } from 'fwkit/http';
import { type McpCall, replaceMcpHandlers, wrapMcpCalls } from 'fwkit/mcp';
import { type BaseRoute, type Hooks, Stage } from 'fwkit/plugin';
import type { Ask, Finding, Selected } from '../policy/findings.js';
import type { Visitor } from '../policy/rule.js';
import { METADATA } from '../policy/targets.js';
import { filled, MARK, type ProbeRequest, plainRequest } from './requests.js';

/** A finding about one visitor at one target. */
export type Verdict = Pick<Finding, 'problem' | 'fix' | 'spelling'> & {
  readonly kind: 'open' | 'answered' | 'failed' | 'listed' | 'vacuous';
};

export class Inquiry {
  readonly target: Selected;
  readonly visitor: Visitor;
  readonly refuses: boolean;
  /** Whether only requests that may change something matter. */
  readonly isOfMutations: boolean;
  readonly asks: Ask[] = [];
  /** The flags of its handler. One of them suffices. */
  readonly keys: readonly string[];
  readonly toolPath: string | undefined;
  /** The file that checks tokens of MCP clients, relative to the source directory. */
  readonly auth: string | undefined;
  readonly request: ProbeRequest;
  /** The same for targets with the same guards. */
  readonly classKey: string;
  verdict: Verdict | undefined;
  status: number | undefined;

  constructor({ rule, target, visitor, refuses }: Ask, routes: readonly BaseRoute[]) {
    this.target = target;
    this.visitor = visitor;
    this.refuses = refuses;
    this.isOfMutations = rule.selector === 'mutations';
    const { member, route, chain, method, kind, meta } = target;
    const called =
      member && routes.filter(isHttpRoute).find(({ file, tool }) => tool && file === member.file);
    this.toolPath = called?.path;
    this.auth = routes.find((one) => one.kind === METADATA)?.file;
    this.keys = member ? [memberKey(member), ...(called ? [called.id] : [])] : [route.id];
    const path = target.witness ?? filled(target.path);
    this.request = plainRequest({ kind, method, path }, visitor.headers);
    // Layers of plugins may guard only some of the routes.
    const layersOf = (one: BaseRoute | undefined): unknown =>
      one && isHttpRoute(one) ? [one.method, one.layers, one.chain, one.meta] : [];
    const guards = [chain, method, kind, meta, layersOf(route), member?.scopes, layersOf(called)];
    this.classKey = JSON.stringify([visitor.name, refuses, this.isOfMutations, ...guards]);
  }

  /** The files that run before the handler: middlewares, and for `/mcp` the file that checks tokens. */
  get around(): readonly string[] {
    const isBehindAuth = this.auth !== undefined && (this.isMember || this.isEndpoint);
    return isBehindAuth ? [...this.target.chain, this.auth] : this.target.chain;
  }

  get isMember(): boolean {
    return this.target.member !== undefined;
  }

  /** Whether it is `/mcp` itself, which has its own handler. */
  get isEndpoint(): boolean {
    return !this.isMember && this.target.kind === 'mcp';
  }
}

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

/** The key of the flags of a member of `/mcp`. The key of a route is its id. */
const memberKey = ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
  `${kind} ${name}`;

/** The handlers that requests have reached inside the project, and the failures that they have caused. */
export class Flags {
  readonly #raised = new Map<string, Set<string>>();
  /** Thrown values that became a 500, by the mark of the request. */
  readonly failures = new Map<string, unknown>();

  raise(key: string, mark: unknown): void {
    if (typeof mark === 'string') this.#raised.set(mark, (this.#raised.get(mark) ?? new Set()).add(key));
  }

  /** Whether the request with `mark` reached one of the handlers in `keys`, or any handler if `keys` is undefined. */
  has(mark: string, keys?: readonly string[]): boolean {
    const raised = this.#raised.get(mark);
    return raised !== undefined && (keys === undefined || keys.some((key) => raised.has(key)));
  }
}

/** Replaces each handler, socket and tool of one run with a flag. `hasMembers`: members of `/mcp` are called. */
export const raising =
  (flags: Flags, hasMembers: boolean) =>
  (hooks: Hooks): void => {
    const flagged = (route: HttpRoute): HttpRoute => ({
      ...route,
      handler: (req, res, ctx) => {
        flags.raise(route.id, req.header(MARK));
        // The handler of /mcp checks tokens and calls members.
        return route.kind === 'mcp' ? route.handler(req, res, ctx) : void res.status(204);
      },
    });
    // Inside the layer that checks handshakes and their origin.
    hooks.resolve.tapPromise({ name: 'probe:sockets', stage: Stage.innermost }, async (routes) =>
      routes.map((route) => (isHttpRoute(route) && route.kind === 'ws' ? flagged(route) : route)),
    );
    // Inside everything that can refuse. Replaces caches, schemas and bodies of handlers, too. Other protocols, such as jobs, must not run.
    hooks.resolve.tapPromise({ name: 'probe', stage: Stage.probe }, async (routes, project) => {
      const calls = new AsyncLocalStorage<McpCall>();
      // Following calls makes each request slower.
      if (hasMembers) wrapMcpCalls(project, (call, run) => calls.run(call, run));
      replaceMcpHandlers(project, (member) => {
        flags.raise(memberKey(member), calls.getStore()?.raw?.headers[MARK]);
        return 'raised';
      });
      const own = routes.filter(isHttpRoute);
      return own.map((route): BaseRoute => (route.kind === 'ws' ? route : flagged(route)));
    });
  };
