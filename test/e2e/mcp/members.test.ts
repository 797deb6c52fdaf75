import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { layouts, project } from '../../harness/project.js';
import { module, route } from '../../harness/source.js';

// The members of /mcp, as a plugin of the project sees them in the table of routes.

const definition = (kind: string, more = '') =>
  `import { ${kind} } from 'fwkit/mcp';\nexport default ${kind}({ ${more}handler: () => 'x' });\n`;

const printing = `import { writeFileSync } from 'node:fs';
import { Stage } from 'fwkit/plugin';
const table = {
  name: 'table',
  apply(hooks) {
    hooks.resolve.tapPromise({ name: 'table', stage: Stage.finish }, async (routes, project) => {
      const shown = routes.map(({ label, members }) => ({ label, members }));
      writeFileSync(project.root + '/seen.json', JSON.stringify(shown));
      return routes;
    });
  },
};
${module('defineConfig', 'export default defineConfig({ plugins: [table] });')}`;

for (const layout of layouts) {
  const test = suite(layout);

  test('tools, resources and prompts are members of their route', async () => {
    const made = project(
      {
        'fwk.config.ts': printing,
        'api/x.ts': route('get', '() => 1'),
        'mcp/auth.ts': `import { auth } from 'fwkit/mcp';
          export default auth({ servers: ['https://login.example'], verify: () => null });`,
        'mcp/tools/users/find.ts': definition('tool', "scopes: ['users:read'], "),
        'mcp/tools/add.ts': definition('tool', "name: 'plus', scopes: [], "),
        'mcp/resources/notes/[id].ts': definition('resource'),
        'mcp/resources/notes/all.ts': definition('resource'),
        'mcp/prompts/summarize.ts': definition('prompt', "scopes: ['write'], "),
      },
      layout,
    );
    const { status, stderr } = await fwk(made, 'routes');
    assert.is(status, 0, stderr);
    const seen = JSON.parse(made.read('seen.json')) as { label: string; members?: unknown }[];
    assert.equal(
      seen.filter(({ members }) => members),
      [
        {
          label: 'MCP /mcp',
          members: [
            { kind: 'prompt', name: 'summarize', file: `mcp/prompts/summarize.${layout}`, scopes: ['write'] },
            { kind: 'resource', name: 'notes://all', file: `mcp/resources/notes/all.${layout}` },
            { kind: 'resource', name: 'notes://{id}', file: `mcp/resources/notes/[id].${layout}` },
            { kind: 'tool', name: 'plus', file: `mcp/tools/add.${layout}` },
            {
              kind: 'tool',
              name: 'usersFind',
              file: `mcp/tools/users/find.${layout}`,
              scopes: ['users:read'],
            },
          ],
        },
      ],
    );
    assert.ok(seen.some(({ label }) => label === 'GET /api/x'));
  });

  test.run();
}
