import { definePlugin, type Plugin, type Problem, type Project, Stage, slotKey } from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import { sessionFiles } from '../context/index.js';
import { addFallback, type HttpRequest, isHttpRoute, mapHttpRoutes, servesHttp } from '../http/index.js';
import type { Offering } from './calls/client.js';
import { exportChecks, toolTypes } from './generated-types.js';
import type { Endpoint } from './http/endpoint.js';
import { mcpOptions } from './options.js';
import type { openToolServer } from './sdk/tool-server.js';
import { isAuthFile, SKILL_FILES } from './table/names.js';
import { type McpHandler, type Table, withHandlers } from './table/table.js';

export type { StandardSchema } from '../http/index.js';
export { type McpCall, type McpCallWrapper, wrapMcpCalls } from './calls/mcp-call.js';
export type {
  Ask,
  AskOptions,
  Call,
  ElicitationAnswer,
  Identity,
  LogLevel,
  RootsAnswer,
  SamplingAnswer,
} from './definitions/call.js';
export type { Complete, Described, Icon } from './definitions/definition.js';
export {
  type Auth,
  auth,
  type ListedResource,
  type PromptDefinition,
  prompt,
  type Resource,
  type ResourceCall,
  resource,
  type ToolDefinition,
  type Tools,
  tool,
} from './definitions/definition.js';
export type { FromJsonSchema, InputOf, JsonSchema, OutputOf, Schema } from './definitions/schema-types.js';
export { mcpOptions } from './options.js';
export type { SkillEntry } from './sdk/skills.js';
export { STDIO, type StdioLink, stdioLink } from './stdio/link.js';
export { SKILLS_DIRECTORY } from './table/names.js';
export type { McpHandler, Table } from './table/table.js';

const STATE = slotKey<State>('mcp');

interface State {
  offered?: { readonly offering: Offering & { table: Table }; readonly endpoint: Endpoint };
}

const stateOf = (project: Project): State => project.slot(STATE, () => ({}));

/** Returns the MCP offering of a resolved project; undefined if it offers nothing. */
export const offeringOf = (project: Project): Offering | undefined => stateOf(project).offered?.offering;

/**
 * Run `run` instead of the handlers of the tools, resources and prompts in `mcp/`, without checking
 * the arguments. Middlewares, `mcp/auth`, scopes and tools that are routes work as before. Call it in
 * a `resolve` tap of a stage after `Stage.add`. Does nothing if the project offers nothing.
 */
export function replaceMcpHandlers(project: Project, run: McpHandler): void {
  const { offered } = stateOf(project);
  if (!offered) return;
  const files = new Set(project.files('mcp').map(({ file }) => file));
  offered.offering.table = withHandlers(offered.offering.table, run, files);
}

/** The warning of `fwk mcp` that not every client has the session values that `mcp/` reads. */
export function sessionWarning(project: Project): Problem | undefined {
  const values = sessionFiles(project);
  // A tool that is a route uses the session of the visitor whose cookie is in the request.
  const own = project.files('mcp').filter(({ file }) => !isAuthFile(file));
  if (values.length === 0 || own.length === 0 || !stateOf(project).offered) return undefined;
  const files = values.map((file) => project.display(file)).join(', ');
  const message = `Session values (${files}) are only available to clients with a session: over stdio, and with the 2025 protocol over HTTP. Code in ${project.display('mcp')} that reads one fails for clients of the stateless protocol (2026-07-28).`;
  return { message, code: 'FWK311' };
}

/** Serves the files in `mcp/` as tools, resources and prompts to MCP clients, over `/mcp` and stdio. */
export function mcp(): Plugin {
  return definePlugin({
    name: 'mcp',
    needs: ['http'],
    guide: () => import('./guide.js'),
    doctor: async () => {
      const { unusableTools } = await import('./doctor.js');
      return { examine: ({ project }) => unusableTools(offeringOf(project)) };
    },
    types: (project) => ({
      declarations: toolTypes(project),
      exports: () => exportChecks(project.files('mcp')),
    }),
    options: mcpOptions,
    apply(hooks, settings) {
      hooks.discover.tap('mcp', (claims) => {
        claims.add(SKILL_FILES, 'mcp/skills/**');
        claims.add(SKILL_FILES, 'mcp/skills/**/*.md');
        claims.add('mcp', 'mcp/**');
      });

      // Runs after all plugins have added their routes, because a route may be a tool. A project
      // without tools and without files in `mcp/` loads none of the code below.
      hooks.resolve.tapPromise({ name: 'mcp', stage: Stage.check }, async (routes, project) => {
        const entries = project.files('mcp');
        const callable = routes.filter(isHttpRoute).filter(({ tool }) => tool !== undefined);
        const skillFiles = project.files(SKILL_FILES);
        if (entries.length + callable.length + skillFiles.length === 0) return routes;
        const [{ loadTable }, { Endpoint, routesOf }, { routeTools }] = await Promise.all([
          import('./table/load.js'),
          import('./http/endpoint.js'),
          import('./route-tools/tools.js'),
        ]);
        const tools = callable.length > 0 ? await routeTools(callable, project, settings) : [];
        const skills =
          skillFiles.length > 0 ? await (await import('./sdk/skills.js')).openSkills(project) : undefined;
        const table = await loadTable(entries, tools, project, skills?.resource);
        const originOf = (req: HttpRequest) => endpoint.originOf(req);
        const offering = { table, project, skills, originOf };
        const endpoint: Endpoint = new Endpoint(offering, settings);
        stateOf(project).offered = { offering, endpoint };
        return [...routes, ...routesOf(offering, endpoint, settings.bodyLimit)];
      });

      // Outside middlewares, which may read session values; inside browser sessions, if there is a cookie.
      hooks.resolve.tapPromise({ name: 'mcp:visitor', stage: Stage.client }, async (routes, project) => {
        const endpoint = stateOf(project).offered?.endpoint;
        if (endpoint) (await import('./http/endpoint.js')).reportNeighbours(routes, project);
        if (!endpoint || sessionFiles(project).length === 0) return routes;
        return mapHttpRoutes(routes, 'mcp:visitor', ({ kind, handler }) => {
          if (kind !== 'mcp') return undefined;
          return (req, res, ctx) => {
            endpoint.visitor(req);
            return handler(req, res, ctx);
          };
        });
      });

      hooks.serve.tapPromise('mcp', async (serving) => {
        const { offered } = stateOf(serving.project);
        if (!offered) return;
        const { serveOffering } = await import('./serve.js');
        await serveOffering(offered, serving, settings);
      });

      // After the files in public/, which may replace the documents.
      hooks.serve.tapPromise({ name: 'mcp:card', stage: Stage.check }, async ({ project, runtime }) => {
        const { offered } = stateOf(project);
        if (offered && servesHttp(runtime)) addFallback(project, offered.endpoint.fallback);
      });
    },
  });
}

const serving = onDemand(() => import('./sdk/tool-server.js'));

/** Returns a function that answers clients of `tools` that belong to no project. Calling it loads the SDK. */
export const toolServer = async (...given: Parameters<typeof openToolServer>) =>
  (await serving()).openToolServer(...given);
