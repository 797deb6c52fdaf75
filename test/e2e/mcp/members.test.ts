import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { layouts, project } from '../../harness/project.js';
import { configFile, middleware, route } from '../../harness/source.js';

const definition = (kind: string, more = '') =>
  `import { ${kind} } from 'fwkit/mcp';\nexport default ${kind}({ ${more}handler: () => 'x' });\n`;

const layer = middleware('(req, res, ctx, next) => next()');

const printing = `import { writeFileSync } from 'node:fs';
import { middlewaresOf } from 'fwkit/http';
import { Stage } from 'fwkit/plugin';
const table = {
  name: 'table',
  apply(hooks) {
    hooks.resolve.tapPromise({ name: 'table', stage: Stage.finish }, async (routes, project) => {
      const shown = routes.map(({ label, members }) => ({ label, members }));
      writeFileSync(project.root + '/seen.json', JSON.stringify(shown));
      writeFileSync(project.root + '/layers.json', JSON.stringify(middlewaresOf(project)));
      return routes;
    });
  },
};
${configFile('{ plugins: [table] }')}`;

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
        'middlewares/1.log.ts': layer,
        'mcp/_middleware.ts': layer,
        'api/_middleware.ts': layer,
        'mcp/tools/add.ts': definition('tool', "name: 'plus', scopes: [], "),
        'mcp/resources/notes/[id].ts': definition('resource'),
        'mcp/resources/notes/all.ts': definition('resource'),
        'mcp/prompts/summarize.ts': definition('prompt', "scopes: ['write'], "),
      },
      layout,
    );
    const { status, stderr } = await fwk(made, 'routes');
    assert.is(status, 0, stderr);
    const chain = [`middlewares/1.log.${layout}`, `mcp/_middleware.${layout}`];
    const member = (kind: string, name: string, file: string, more: object = {}) => {
      const label = `${kind.toUpperCase()} ${name}`;
      return { kind, name, label, id: label, file: `mcp/${file}.${layout}`, ...more, chain };
    };
    const seen = JSON.parse(made.read('seen.json')) as { label: string; members?: unknown }[];
    assert.equal(
      seen.filter(({ members }) => members),
      [
        {
          label: 'MCP /mcp',
          members: [
            member('prompt', 'summarize', 'prompts/summarize', { scopes: ['write'] }),
            member('resource', 'notes://all', 'resources/notes/all'),
            member('resource', 'notes://{id}', 'resources/notes/[id]'),
            member('tool', 'plus', 'tools/add'),
            member('tool', 'usersFind', 'tools/users/find', { scopes: ['users:read'] }),
          ],
        },
      ],
    );
    assert.equal(JSON.parse(made.read('layers.json')), [
      { file: chain[0], directory: '' },
      { file: `api/_middleware.${layout}`, directory: 'api/' },
      { file: chain[1], directory: 'mcp/' },
    ]);
    assert.ok(seen.some(({ label }) => label === 'GET /api/x'));
  });

  test.run();
}
