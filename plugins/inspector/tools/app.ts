import type { Inspector, Version } from '../inspector.js';
import { routeDetails, shownRoutes } from '../routes.js';
import { shownProviders } from '../state.js';
import { type InspectorTool, objectSchema, textOf } from './tool.js';

const NOTHING = 'Nothing is served yet.';

export const appTools = (inspector: Inspector): InspectorTool[] => [
  {
    name: 'routes',
    title: 'Routes',
    description:
      'List the routes of the running app: one line each with method, path, source file, the parts that its schemas validate, and the middleware files around it, outermost first. Sockets are WS, the MCP endpoint is MCP. Call it first, to find the file of a URL or to check that a new route exists.',
    inputSchema: objectSchema({
      filter: { type: 'string', description: 'Only lines that contain all of these words: "post users".' },
    }),
    isReadOnly: true,
    isAboutProject: true,
    run: ({ filter }) => whileServed(inspector, (version) => routeLines(version, textOf(filter))),
  },
  {
    name: 'route',
    title: 'One route',
    description:
      'Everything about one route: file, middlewares, layers around its handler, metadata, and the JSON Schemas of its params, query, headers, body, response and errors. Use it before you call a route or write a client for it.',
    inputSchema: objectSchema(
      {
        route: {
          type: 'string',
          description: 'As "routes" prints it: "GET /api/users/:id", or the path, or the file.',
        },
      },
      ['route'],
    ),
    isReadOnly: true,
    isAboutProject: true,
    run: ({ route }) =>
      whileServed(inspector, async (version) => {
        const found = await routeDetails(version, textOf(route));
        if (!found) throw new Error(`There is no route "${textOf(route)}". "routes" lists all of them.`);
        return JSON.stringify(found, null, 1);
      }),
  },
  {
    name: 'ctx',
    title: 'ctx',
    description:
      'List the values of ctx that handlers, middlewares and services get: key, lifetime (singleton: one per process; session: one per visitor; request: one per request), source file, and which other values each reads.',
    inputSchema: objectSchema({}),
    isReadOnly: true,
    isAboutProject: true,
    run: () =>
      whileServed(inspector, async ({ project }) => {
        const shown = await shownProviders(project);
        const lines = shown.map(({ key, lifetime, file, reads }) => {
          const read = reads.length > 0 ? `  reads ${reads.map((one) => `ctx.${one}`).join(', ')}` : '';
          return `ctx.${key}  ${lifetime}  ${file}${read}`;
        });
        return ['ctx.logger  always available', ...lines].join('\n');
      }),
  },
];

async function whileServed(
  { version }: Inspector,
  act: (version: Version) => Promise<string> | string,
): Promise<string> {
  return version ? act(version) : NOTHING;
}

function routeLines(version: Version, filter: string): string {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const lines = shownRoutes(version).map(({ label, file, checks, chain }) =>
    [
      label,
      file,
      checks.length > 0 ? `checks ${checks.join(', ')}` : '',
      chain.length > 0 ? `behind ${chain.join(' → ')}` : '',
    ]
      .filter(Boolean)
      .join('  '),
  );
  const found = lines.filter((line) => words.every((word) => line.toLowerCase().includes(word)));
  if (found.length > 0) return found.join('\n');
  return words.length > 0 ? `No route of ${lines.length} contains "${filter}".` : 'There are no routes.';
}
