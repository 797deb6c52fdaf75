import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { clients, connected } from '../../harness/mcp-clients.js';
import { project } from '../../harness/project.js';

const route = (method: string, definition: string, handler: string): string =>
  `import { ${method} } from 'fwkit';
import { z } from 'zod';
const Node = z.object({ id: z.string(), get children() { return z.array(Node); } });
export default ${method}({ tool: true, ${definition} }, ${handler});
`;

const made = project({
  'api/list.get.ts': route('get', 'response: z.array(z.object({ id: z.string() }))', `() => [{ id: 'a' }]`),
  'api/text.get.ts': route('get', 'response: z.string()', `() => 'a'`),
  'api/plain.get.ts': route('get', 'response: z.string()', `(_req, res) => res.type('text/plain') && 'a'`),
  'api/count.get.ts': route('get', 'response: z.number()', '() => 0'),
  'api/either.get.ts': route(
    'get',
    'response: z.union([z.number(), z.object({ a: z.string() })])',
    `() => ({ a: 'b' })`,
  ),
  'api/nothing.post.ts': route('post', 'response: z.number().nullable()', '() => null'),
  'api/several.post.ts': route(
    'post',
    'response: { 200: Node, 201: z.array(Node) }',
    `(_req, res) => res.status(201) && [{ id: 'a', children: [] }]`,
  ),
  'api/empty.delete.ts': route(
    'del',
    'response: { 200: z.number(), 204: null }',
    '(_req, res) => void res.status(204)',
  ),
});
linkLibraries(made);
const server = await dev(made);

const VALUES = {
  getList: [{ id: 'a' }],
  getText: 'a',
  getPlain: 'a',
  getCount: 0,
  getEither: { a: 'b' },
  postNothing: null,
  postSeveral: [{ id: 'a', children: [] }],
  deleteEmpty: undefined,
};

const test = suite('structured content of routes');
test.after(async () => {
  await server.stop();
});

for (const name of Object.keys(clients))
  test(`${name} gets lists, unions and single values`, async () => {
    const client = await connected(name, { url: server.url });
    // The clients validate results against these schemas.
    const { tools } = await client.listTools();
    const found = tools.filter(({ outputSchema }) => outputSchema === undefined);
    assert.equal(
      found.map((tool) => tool.name),
      ['deleteEmpty'],
    );
    for (const [tool, value] of Object.entries(VALUES)) {
      const { structuredContent, isError } = await client.callTool({ name: tool, arguments: {} });
      const isWrapped = !name.includes('2026') && value !== undefined;
      assert.not(isError, tool);
      assert.equal(structuredContent, isWrapped ? { result: value } : value, tool);
    }
    await client.close();
  });

test.run();
