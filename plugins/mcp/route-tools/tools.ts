import type { ProblemCode, Project } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import { fetchInternally, type HttpRoute } from '../../http/index.js';
import { type AnyDefinition, readPath, type ToolAnnotations } from '../../http/internal.js';
import type { Call } from '../definitions/call.js';
import type { McpSettings } from '../options.js';
import { nameOfRoute } from '../table/names.js';
import type { CompiledSchema } from '../table/schema.js';
import type { Caller, ToolAbout, ToolEntry, ToolSchemas } from '../table/table.js';
import { toolAnswer } from './answer.js';
import { requestFor } from './request.js';
import { type RouteInput, routeInput, routeOutput } from './schemas.js';

interface Shape extends ToolSchemas {
  readonly arguments: RouteInput;
}

/** The routes that are tools. A route that cannot be a tool is reported to the project. */
export async function routeTools(
  routes: readonly HttpRoute[],
  project: Project,
  settings: McpSettings,
): Promise<ToolEntry[]> {
  const found = await Promise.all(routes.map((route) => routeTool(route, project, settings.bodyLimit)));
  return found.filter((entry) => entry !== undefined);
}

async function routeTool(route: HttpRoute, project: Project, limit: number): Promise<ToolEntry | undefined> {
  const { file, tool = {} } = route;
  const name = tool.name ?? nameOfRoute(route);
  let definition: AnyDefinition | undefined;
  if (!isRecorded(route, project)) {
    // If the import fails, the check of routes reports it.
    const imported = await route.definition?.().catch(() => undefined);
    definition = imported ?? {};
    if (reportMistakes(route, definition, project)) return undefined;
  }
  const load = onDemand(async (): Promise<Shape> => shapeOf(route, (await route.definition?.()) ?? {}));
  let hasWarned = false;

  const run = async (given: unknown, { signal }: Call, { request: caller }: Caller): Promise<unknown> => {
    const shape = await load();
    const request = requestFor({ ...route, input: shape.arguments }, Object(given), caller, signal);
    const response = await fetchInternally(project, request, caller?.raw.socket);
    if (!hasWarned && project.mode === 'development' && response.headers.has('set-cookie')) {
      hasWarned = true;
      const code: ProblemCode = 'FWK516';
      const text = `The tool ${name}: its route sets a cookie, which MCP clients do not receive.`;
      project.logger.warn({ code }, text);
    }
    const { pathname, search } = new URL(request.url);
    const url = new URL(pathname + search, caller?.url ?? request.url).href;
    return toolAnswer(response, url, { name, output: shape.output?.json, limit });
  };
  return { file, name, tool: aboutOf(route, definition), schemas: load, run, route };
}

/** Whether a build has checked a route, so that its module need not be imported before the first call. */
function isRecorded({ file }: HttpRoute, project: Project): boolean {
  const entry = project.entries.find((one) => one.file === file);
  if (!entry || project.run.mustVerify || project.loaded(entry)) return false;
  return project.run.cachedMetadata(entry) !== undefined;
}

function shapeOf(route: HttpRoute, definition: AnyDefinition): Shape {
  const input = routeInput(definition, readPath(route.path).names, () => {});
  const output = route.meta.checkResponse === false ? undefined : routeOutput(definition, () => {});
  return { arguments: input, input: passedOn(input.json), output: output && passedOn(output) };
}

/** The route itself checks its input and output. */
const passedOn = (json: CompiledSchema['json']): CompiledSchema => ({ json, check: (value) => ({ value }) });

/** Whether a problem was reported that keeps a route from being a tool. */
function reportMistakes(route: HttpRoute, definition: AnyDefinition, project: Project): boolean {
  const mistakes: string[] = [];
  const report = (mistake: string) => void mistakes.push(mistake);
  const { method, meta } = route;
  if (!METHODS.has(method)) report(`and ${method} is not a method that a tool can send`);
  if (meta.body === 'stream') report('and has .meta({ body: "stream" }), which a tool cannot send');
  if (meta.sse) report('and answers with an event stream, which a tool cannot return');
  routeInput(definition, readPath(route.path).names, report);
  if (meta.checkResponse !== false) routeOutput(definition, report);
  for (const mistake of mistakes) {
    const text = `is a tool, ${mistake}. Remove "tool", or define a tool() in mcp/tools/.`;
    project.report(route.file, text, 'FWK516');
  }
  return mistakes.length > 0;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** The descriptions of routes by definition: one that an edit does not change stays the same object. */
const known = new WeakMap<AnyDefinition, Map<string, ToolAbout>>();

function aboutOf(
  { tool = {}, method, id, meta }: HttpRoute,
  definition: AnyDefinition | undefined,
): ToolAbout {
  const annotations: ToolAnnotations = { ...HINTS[method], ...tool.annotations };
  const description = [tool.description, deprecationOf(meta)].filter((text) => text !== undefined).join(' ');
  const about: ToolAbout = {
    ...tool,
    ...(description === '' ? {} : { description }),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
  if (!definition) return about;
  const routes = known.get(definition) ?? new Map<string, ToolAbout>();
  known.set(definition, routes);
  const before = routes.get(id);
  if (!before) routes.set(id, about);
  return before ?? about;
}

/** Tells the model to prefer another tool. MCP has no annotation for it. */
function deprecationOf({ deprecated }: HttpRoute['meta']): string | undefined {
  if (!deprecated) return undefined;
  const { since, sunset, use } = deprecated;
  const end = sunset === undefined ? '' : `, removed after ${sunset}`;
  return `Deprecated since ${since}${end}.${use === undefined ? '' : ` Use ${use} instead.`}`;
}

/** The guarantees of each HTTP method (RFC 9110 §9.2). */
const HINTS: Readonly<Record<string, ToolAnnotations>> = {
  GET: { readOnlyHint: true },
  PUT: { idempotentHint: true },
  DELETE: { destructiveHint: true, idempotentHint: true },
};
