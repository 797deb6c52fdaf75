import type { InspectorTool } from 'fwkit/mcp';
import type { Serving } from 'fwkit/plugin';

/** The tool `impact` of `/_fwk/mcp`: what edits reach, in the version that serves. */
export const impactTool = ({ project, routes }: Pick<Serving, 'project' | 'routes'>): InspectorTool => ({
  name: 'impact',
  title: 'What a change reaches',
  description:
    'Which routes, pages, sockets, tools, jobs and test files a change reaches, over imports and over ctx, with the files on the way. Without arguments: all that is not committed yet. Call it after an edit, to know what to try and which tests to run, and before one, with the file in `files`, to know whom it concerns.',
  inputSchema: {
    type: 'object',
    properties: {
      since: {
        type: 'string',
        description: 'A ref of git to compare with. Default: HEAD, unless `files` are given.',
      },
      files: {
        type: 'array',
        items: { type: 'string' },
        description: 'Paths from the root of the project. Without `since` each counts as changed as a whole.',
      },
      data: { type: 'boolean', description: 'Add what shares data with the change.' },
    },
    additionalProperties: false,
  },
  isReadOnly: true,
  isAboutProject: true,
  async run({ since, files, data }) {
    const [{ findChanges }, { findImpact }, { dependenciesOf }] = await Promise.all([
      import('./changes.js'),
      import('./find-impact.js'),
      import('./dependencies.js'),
    ]);
    const named = Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
    const ref = typeof since === 'string' ? since : named.length === 0 ? 'HEAD' : undefined;
    const changes = await findChanges(project.root, { files: named, since: ref });
    const resolution = { project, routes, problems: [], dependencies: dependenciesOf(project.root) };
    return JSON.stringify(await findImpact(resolution, { ...changes, since: ref, withData: data === true }));
  },
});
