import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { inspect } from 'node:util';
import type { Project } from '../../../kernel/index.js';
import { attachSession, FleetingSession, sessionOf } from '../../context/internal.js';
import { error, type HttpRoute, isHttpError, loadDetachedRunner } from '../../http/index.js';
import { type Guards, guardsOf, HttpRequest, readPath } from '../../http/internal.js';
import type { Described } from '../definitions/definition.js';
import { callerHeaders } from '../route-tools/request.js';
import type { ToolEntry } from '../table/table.js';
import { Visitor } from '../visitor.js';
import type { CallContext } from './call-context.js';

/** Whether the client's token has the scopes of a definition. Only `mcp/auth` issues identities. */
export const hasScopes = ({ auth }: CallContext, { scopes = [] }: Described): boolean =>
  !auth || scopes.every((scope) => auth.scopes?.includes(scope));

/** The tools that a client may call, judging by its scopes and by the middlewares of routes. */
export async function visibleTools(context: CallContext): Promise<ToolEntry[]> {
  const { offering, request } = context;
  const { project } = offering;
  // Middlewares don't run over stdio.
  const passed = new Set(request ? guardsOf(project).of('mcp/').files : []);
  const tools = [...offering.table.tools.values()].filter(({ tool }) => hasScopes(context, tool));
  const answers = new Map<string, Promise<boolean>>();
  const admitted = await Promise.all(
    tools.map(({ route }) => {
      if (!route) return true;
      const guards = guardsOf(project).of(route.file);
      if (guards.files.every((file) => passed.has(file))) return true;
      const key = `${route.method} ${guards.files.join()} ${inspect(route.meta)}`;
      const answer = answers.get(key) ?? admits(guards, route, project, request);
      answers.set(key, answer);
      return answer;
    }),
  );
  return tools.filter((_, index) => admitted[index]);
}

/** Statuses by which a middleware refuses a client. A guard that fails must not hide a tool. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 404]);

/** A segment of a URL in place of an argument, which a list does not have. */
const PLACEHOLDER = 'x1';

/**
 * Whether the middlewares of a route let a client through to the handler, which does not run. Logs,
 * rate limits and all other layers are left out. A 403 or 404 that depends on a parameter of the
 * path is not a refusal: another argument may be allowed.
 */
async function admits(
  guards: Guards,
  route: HttpRoute,
  project: Project,
  request: HttpRequest | undefined,
): Promise<boolean> {
  const caller = request ?? nobody(project);
  let isReached = false;
  let dependsOnPath = false;
  const params = Object.create(null);
  for (const name of readPath(route.path).names)
    Object.defineProperty(params, name, {
      enumerable: true,
      get() {
        dependsOnPath = true;
        return PLACEHOLDER;
      },
    });
  const path = route.path.replace(/[:*][^/]+/g, PLACEHOLDER);
  const handler = guards.around(() => {
    isReached = true;
    // Middlewares see a call that failed: transactions roll back, and nothing is recorded as done.
    throw error(409, 'A list of tools asks who may call this route');
  });
  let status = 0;
  try {
    const response = await (await loadDetachedRunner()).runDetached(project, handler, caller, {
      headers: callerHeaders(request),
      isKnown: true,
      as: { method: route.method, path, route, params },
      prepare: (req) => {
        const session = sessionOf(caller);
        const own = session instanceof Visitor ? session.forRoutes : session;
        attachSession(req, own ?? new FleetingSession());
      },
    });
    response.resume();
    status = response.statusCode ?? 0;
  } catch (thrown) {
    if (isHttpError(thrown)) status = thrown.status;
  }
  return isReached || !REFUSALS.has(status) || (status !== 401 && dependsOnPath);
}

/** The request of a client over stdio, which says nothing about the client. */
function nobody(project: Project): HttpRequest {
  const raw = new IncomingMessage(new Socket());
  raw.headers.host = 'localhost';
  raw.url = '/mcp';
  const route = { kind: 'mcp', path: '/mcp', file: undefined, meta: {} };
  const settings = { trustProxy: false, maxQueryKeys: 0, project };
  return new HttpRequest(raw, new ServerResponse(raw), route, {}, settings);
}
