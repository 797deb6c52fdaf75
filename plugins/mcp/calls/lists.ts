import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { isObject, type ProblemCode, type Project } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import { attachSession, FleetingSession, sessionOf } from '../../context/internal.js';
import { error, type HttpRoute, isHttpError, loadDetachedRunner } from '../../http/index.js';
import { type Guards, guardsOf, HttpRequest, readPath } from '../../http/internal.js';
import type { Described, Resource } from '../definitions/definition.js';
import type { JsonSchema } from '../definitions/schema-types.js';
import { callerHeaders } from '../route-tools/request.js';
import { pageUri } from '../table/names.js';
import type { Table, TemplateEntry, ToolEntry } from '../table/table.js';
import { Visitor } from '../visitor.js';
import type { CallContext, Offering } from './client.js';

/** Whether the client's token has the scopes of a definition. Only `mcp/auth` issues identities. */
const hasScopes = ({ auth }: CallContext, { scopes = [] }: Described): boolean =>
  !auth || scopes.every((scope) => auth.scopes?.includes(scope));

/** The tools that a client may call, judging by its scopes and by the middlewares of routes. */
async function visibleTools(context: CallContext): Promise<ToolEntry[]> {
  const { offering, request } = context;
  const { project } = offering;
  // Middlewares don't run over stdio.
  const passed = new Set(request ? guardsOf(project).of('mcp/').files : []);
  const tools = [...offering.table.tools.values()].filter(({ tool }) => hasScopes(context, tool));
  const answers = new Map<HttpRoute, Promise<boolean>>();
  const admitted = await Promise.all(
    tools.map(({ route }) => {
      if (!route) return true;
      const guards = guardsOf(project).of(route.file);
      if (guards.files.every((file) => passed.has(file))) return true;
      const alike = alikeOf(route, offering);
      const answer = answers.get(alike) ?? admits(guards, route, project, request);
      answers.set(alike, answer);
      return answer;
    }),
  );
  return tools.filter((_, index) => admitted[index]);
}

const ALIKE = new WeakMap<Table, Map<HttpRoute, HttpRoute>>();

/** The first route with the same method, middlewares and `meta`, whose middlewares answer the same. */
function alikeOf(route: HttpRoute, { table, project }: Offering): HttpRoute {
  const known = ALIKE.get(table) ?? new Map<HttpRoute, HttpRoute>();
  ALIKE.set(table, known);
  const seen = known.get(route);
  if (seen) return seen;
  const asked = ({ method, file, meta }: HttpRoute) => [method, guardsOf(project).of(file).files, meta];
  const alike = [...new Set(known.values())].find((one) => isDeepStrictEqual(asked(one), asked(route)));
  known.set(route, alike ?? route);
  return alike ?? route;
}

/** Statuses by which a middleware refuses a client. A guard that fails must not hide a tool. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 404]);

/** A segment of a URL in place of an argument, which a list does not have. */
const PLACEHOLDER = 'x1';

/**
 * Whether the middlewares of a route let a client through to the handler, which does not run, nor do
 * other layers. A 403 or 404 that depends on a parameter of the path may not apply to other arguments.
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

/** The input schema of a tool without arguments (MCP 2025-11-25, Tools, Data Types). */
const NO_INPUT: JsonSchema = { type: 'object', additionalProperties: false };

/** Members that are undefined are not sent. */
const about = ({ title, description, icons, _meta }: Described) => ({ title, description, icons, _meta });

/** Leaves out tools whose schemas cannot be read: importing the module of a route may throw. */
export async function listTools(context: CallContext): Promise<Record<string, unknown>[]> {
  const { project } = context.offering;
  const listed = (await visibleTools(context)).map(async ({ name, file, tool, schemas }) => {
    try {
      const { input, output } = await schemas();
      const { annotations, view, _meta } = tool;
      const ui = view && { ui: { ...Object(_meta?.ui), resourceUri: pageUri(view) } };
      return {
        name,
        ...about(ui ? { ...tool, _meta: { ..._meta, ...ui } } : tool),
        inputSchema: input?.json ?? NO_INPUT,
        outputSchema: output?.json,
        annotations,
      };
    } catch (err) {
      const code: ProblemCode = 'FWK514';
      const text = `The tool ${name} is not listed, because ${project.display(file)} throws`;
      project.logger.error({ code, err }, text);
      return undefined;
    }
  });
  return (await Promise.all(listed)).filter((one) => one !== undefined);
}

const aboutResource = (resource: Resource) => {
  const { mimeType, annotations } = resource;
  return { ...about(resource), mimeType, annotations };
};

export const listResources = (context: CallContext): Record<string, unknown>[] =>
  [...context.offering.table.resources.values()]
    .filter(({ resource }) => hasScopes(context, resource))
    .map(({ uri, name, resource }) => ({ uri, name, ...aboutResource(resource), size: resource.size }));

/** The resources with variables in their URI that a client may read. */
export const visibleTemplates = (context: CallContext): readonly TemplateEntry[] =>
  [...context.offering.table.templates.values()].filter(({ resource }) => hasScopes(context, resource));

/** The resources that the `list` function of a URI with variables returns. Rejects if `list` throws. */
export async function listOf(resource: Resource, ctx: RuntimeCtx): Promise<Record<string, unknown>[]> {
  const found = (await resource.list?.(ctx)) ?? [];
  return found.map((one) => ({ ...aboutResource(resource), name: one.uri, ...one }));
}

export const listTemplates = (context: CallContext): Record<string, unknown>[] =>
  visibleTemplates(context).map(({ uri: { text }, name, resource }) => ({
    uriTemplate: text,
    name,
    ...aboutResource(resource),
  }));

export const listPrompts = (context: CallContext): Record<string, unknown>[] =>
  [...context.offering.table.prompts.values()]
    .filter(({ prompt }) => hasScopes(context, prompt))
    .map(({ name, prompt, input }) => ({
      name,
      ...about(prompt),
      arguments: input && argumentsOf(input.json),
    }));

/** A prompt's arguments as the plain list that clients get instead of a schema. */
const argumentsOf = ({ properties, required }: JsonSchema): Record<string, unknown>[] =>
  Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const { title, description } = isObject(property) ? property : {};
    return { name, title, description, required: Array.isArray(required) && required.includes(name) };
  });

/** The values that a property of a schema lists. */
export function enumerated({ properties }: JsonSchema, name: string): readonly string[] {
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const values = isObject(property) && Array.isArray(property.enum) ? property.enum : [];
  return values.filter((value) => typeof value === 'string');
}
