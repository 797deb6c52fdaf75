import { AsyncLocalStorage } from 'node:async_hooks';
import { type HttpRoute, isHttpRoute } from 'fwkit/http';
import { type McpCall, replaceMcpHandlers, wrapMcpCalls } from 'fwkit/mcp';
import { type BaseRoute, type Hooks, type Project, Stage } from 'fwkit/plugin';
import { MARK } from './request.js';

/** By what the flags of a member of `/mcp` are known. Those of a route by its id. */
export const memberKey = ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
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
