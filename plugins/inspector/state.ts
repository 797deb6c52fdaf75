import type { RouteMember } from '../../kernel/index.js';
import { isHttpRoute } from '../http/index.js';
import type { Inspector } from './inspector.js';
import { shownProviders } from './providers.js';
import { shownRoutes } from './routes.js';
import { connectionsOf } from './sockets.js';
import { shownRequest } from './views.js';

/** All that the page shows but the details of a request, a route, a member of MCP. */
export async function stateOf(inspector: Inspector) {
  const { version, problems, reloads, failures, recorder } = inspector;
  const routes = version?.routes ?? [];
  return {
    isServed: version !== undefined,
    problems,
    routes: version ? shownRoutes(version) : [],
    providers: version ? await shownProviders(version.project) : [],
    requests: recorder.records.map(shownRequest),
    failures: failures.slice(0, 20),
    reloads,
    ...(await connectionsOf(inspector)),
    members: await membersOf(inspector),
    hasDocument: version !== undefined && routes.some(isHttpRoute),
  };
}

/** What the app offers to MCP clients, with schemas. */
async function membersOf({ version }: Inspector) {
  if (!version) return [];
  const { routes, project } = version;
  const members = routes.flatMap(({ members = [] }) => members);
  return Promise.all(
    members.map(async (member) => ({
      kind: member.kind,
      name: member.name,
      file: project.display(member.file),
      scopes: member.scopes ?? [],
      ...(await aboutOf(member)),
    })),
  );
}

/** What a member says of itself, where its plugin tells: `title`, `description`, `schemas`. */
async function aboutOf(member: RouteMember & { readonly about?: unknown }): Promise<object> {
  try {
    return typeof member.about === 'function' ? Object(await member.about()) : {};
  } catch (thrown) {
    return { description: String(thrown) };
  }
}
