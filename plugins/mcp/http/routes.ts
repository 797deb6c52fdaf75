import type { BaseRoute, Project } from '../../../kernel/index.js';
import { type HttpRoute, httpRoute, isHttpRoute } from '../../http/index.js';
import type { Offering } from '../calls/call-context.js';
import { authOf } from '../table/auth-file.js';
import { membersOf } from '../table/table.js';
import { METADATA_PATH } from './bearer.js';
import type { Endpoint } from './endpoint.js';

/** The routes of an endpoint: its own, and those that say where to get a token. */
export function routesOf(
  { project, table }: Offering,
  { handler, metadata }: Endpoint,
  bodyLimit: number,
): HttpRoute[] {
  const hasDirectory = project.entries.some(({ file }) => file.startsWith('mcp/'));
  const endpoint = httpRoute({
    kind: 'mcp',
    // Middlewares of the directory run for routes whose file is below it. It is not there where all tools are routes.
    file: hasDirectory ? 'mcp/' : 'plugin "mcp"',
    method: 'ALL',
    path: '/mcp',
    // Unread, so that a client without permission is answered before its body is read. It checks where requests come from
    // itself. A call takes the time that its tool needs: clients have time-outs of their own, and cancel.
    meta: { body: 'stream', bodyLimit, csrf: false, timeout: 0 },
    handler,
  });
  for (const { file } of project.files('directory-middleware'))
    if (/^mcp\/.+\//.test(file))
      project.report(
        file,
        'would never run: /mcp is one route. Move it to mcp/, where it runs for every request.',
        'FWK114',
      );

  const listed = { ...endpoint, label: 'MCP /mcp', members: membersOf(table) };
  const file = authOf(project);
  if (!metadata || file === undefined) return [listed];
  const wellKnown = [METADATA_PATH, `${METADATA_PATH}/mcp`].map((path) =>
    httpRoute({ kind: 'mcp-auth', file, method: 'GET', path, meta: {}, handler: metadata }),
  );
  return [listed, ...wellKnown];
}

/** Report other routes of `/mcp`: one for a single method would hide the endpoint for that method. */
export function reportNeighbours(routes: readonly BaseRoute[], project: Project): void {
  for (const route of routes)
    if (isHttpRoute(route) && route.path === '/mcp' && route.kind !== 'mcp')
      project.report(
        route.file,
        `serves ${route.label}, which is the endpoint of mcp/. Rename it.`,
        'FWK517',
      );
}
