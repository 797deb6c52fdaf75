import type { InspectorTool } from 'fwkit/mcp';
import type { Serving } from 'fwkit/plugin';

/** The tool `reach` of `/_fwk/mcp`: what the routes of the version that serves can touch. */
export const reachTool = ({ project, routes }: Pick<Serving, 'project' | 'routes'>): InspectorTool => ({
  name: 'reach',
  title: 'What routes can touch',
  description:
    'What each route, socket, job and tool can reach, by itself and through its middlewares and the values of ctx that it uses: services with their files, names of the environment, packages, modules of Node, network, templates, and the places that cannot be followed. `excess` is what goes beyond .meta({ may: […] }), with the way to it. Call it before you change a service, to see who uses it, and after you have written a route, to see what it can do.',
  inputSchema: {
    type: 'object',
    properties: {
      route: {
        type: 'string',
        description:
          'A label such as "GET /api/books", a path, a file, or a part of one. Default: all routes.',
      },
    },
    additionalProperties: false,
  },
  isReadOnly: true,
  isAboutProject: true,
  async run({ route }) {
    const [{ survey }, { answer }] = await Promise.all([import('./survey.js'), import('./answer.js')]);
    const found = answer(await survey({ project, routes }), typeof route === 'string' ? route.trim() : '');
    if (typeof found === 'string') throw new Error(found);
    return JSON.stringify(found);
  },
});
