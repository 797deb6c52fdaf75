import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inspecting } from '../../harness/dev-page.js';
import { dev } from '../../harness/fwk.js';
import { clients, connected, type McpClient } from '../../harness/mcp-clients.js';
import { project } from '../../harness/project.js';
import { middleware, postRoute, route, service } from '../../harness/source.js';

const counting = (name: string) => `import { addInspectorTool } from 'fwkit/mcp';
export const counting = {
  name: 'counting',
  apply(hooks) {
    hooks.serve.tapPromise('counting', async ({ project, routes }) => {
      for (const name of ['${name}', '${name}', 'routes'])
        addInspectorTool(project, {
          name, title: 'Count', description: 'How many routes of the running app are in api/: call it after you have added one, to see it counted.', isReadOnly: true, isAboutProject: true,
          inputSchema: { type: 'object', properties: {}, additionalProperties: false },
          run: () => JSON.stringify({ api: routes.filter(({ kind }) => kind === 'api').length }),
        });
    });
  },
};
`;

const files = {
  'lib/counting.ts': counting('count'),
  'fwk.config.ts': "import { counting } from './lib/counting.js';\nexport default { plugins: [counting] };\n",
  'api/users/[id].get.ts': route('get', '(req, res, ctx) => ({ id: req.params.id, by: ctx.store })'),
  'api/fails.ts': route('get', "() => { throw new Error('the inside'); }"),
  'api/login.post.ts': postRoute(
    '(req, res) => { res.cookie("sid", "secret1"); return { in: req.body.name }; }',
  ),
  'api/me.ts': route('get', '(req) => ({ has: req.cookies.sid === "secret1" })'),
  'api/checked.post.ts': `import { post } from 'fwkit';
import { shape } from '../lib/shape.js';
export default post({ body: shape }, (req) => req.body);`,
  'lib/shape.ts': `export const shape = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object', properties: { age: { type: 'integer' } } }), output: () => ({}) } } };`,
  'services/store.ts': service('() => "store"'),
  'api/_middleware.ts': middleware('(req, res, ctx, next) => next()'),
};
const NAMES = ['routes', 'route', 'ctx', 'errors', 'requests', 'reload', 'call', 'docs', 'count'];
const path = '/_fwk/mcp';

type Ask = (name: string, given?: object, isNoted?: boolean) => Promise<string>;

const asking =
  (client: McpClient): Ask =>
  async (name, given = {}, isNoted = false) => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    const [text, ...notes] = content.map((one) => one.text);
    // The text may be JSON, so the version is a separate item.
    return `${isError ? 'ERROR ' : ''}${text}${isNoted ? `\n${notes.join('\n')}` : ''}`;
  };

const test = suite('the tools of the inspector');
const { server, made, save } = await inspecting(test, files);

const withClient = async (
  name: string,
  act: (client: McpClient, ask: Ask) => Promise<void>,
): Promise<void> => {
  const client = await connected(name, { url: server.url, path });
  try {
    await act(client, asking(client));
  } finally {
    await client.close();
  }
};

for (const name of Object.keys(clients))
  test(`${name} uses the tools of the running project`, () =>
    withClient(name, async (client, ask) => {
      const { tools } = await client.listTools();
      assert.equal(
        tools.map((tool) => tool.name),
        NAMES,
      );
      for (const { description } of tools) assert.ok(String(description).length > 80);
      const file = made.label('api/users/[id].get.ts');
      assert.match(
        await ask('routes'),
        `GET /api/users/:id  ${file}  behind ${made.label('api/_middleware.ts')}`,
      );
      assert.is((await ask('routes', { filter: 'login POST' })).split('\n').length, 1);
      const detail = JSON.parse(await ask('route', { route: 'POST /api/checked' }));
      assert.equal(detail.schemas.body.properties, { age: { type: 'integer' } });
      assert.match(await ask('route', { route: '/api/none' }), /^ERROR There is no route/);
      assert.match(
        await ask('route', {}),
        /^ERROR Input validation error: Invalid arguments for tool route: /,
      );
      const guessed = await ask('docs', { query: 'sessions' });
      assert.match(
        guessed,
        /^ERROR Input validation error: Invalid arguments for tool docs: .*it accepts "search", "page", not "query"/,
      );
      assert.match(await ask('ctx'), `ctx.store  singleton  ${made.label('services/store.ts')}`);

      assert.match(await ask('call', { path: '/api/users/7' }), /^200 OK[\s\S]*"by": "store"/);
      assert.match(await ask('call', { path: '/api/me' }), '"has": false');
      const login = await ask('call', { method: 'POST', path: '/api/login', body: { name: 'Ada' } });
      assert.match(login, '"in": "Ada"');
      assert.not.match(login, 'secret1');
      assert.match(await ask('call', { path: '/api/me' }), '"has": true');
      assert.match(await ask('call', { path: '/api/me', forgetCookies: true }), '"has": false');

      const [, id = ''] = /request (\d+)/.exec(await ask('call', { path: '/api/fails' })) ?? [];
      assert.match(await ask('errors'), /GET \/api\/fails[\s\S]*Error: the inside[\s\S]*>.*throw new Error/);
      assert.match(await ask('requests', { filter: '500' }), `${id}  GET /api/fails  500`);
      assert.match(await ask('requests', { id: Number(id) }), '"name": "handler"');
      assert.match(await ask('docs'), 'guide/routes');
      assert.match(await ask('docs', { page: 'guide/sessions' }), /^# /);
      assert.match(await ask('docs', { search: 'rate limit' }), 'rate-limit');
      assert.match(await ask('reload'), 'Nothing has been saved');
    }));

test('reports changed routes and problems after an edit', () =>
  withClient('v2 client, 2026-07-28', async (_client, ask) => {
    await save('api/me.ts', route('get', '() => 2'));
    assert.match(await ask('reload'), /served in \d+ ms, 1 route changed\n {2}~ GET \/api\/me/);
    await save('api/me.ts', 'export default 5;\n', /still serving/);
    assert.match(await ask('reload'), `NOT served`);
    for (const tool of ['errors', 'routes', 'reload'])
      assert.match(await ask(tool, {}, true), made.label('api/me.ts'));
    assert.match(await ask('routes', {}, true), /\nVersion 2, served in \d+ ms\.\nNOTE: the last save/);
    await save('api/me.ts', route('get', '() => 2'));
  }));

test('a tool that a plugin adds sees the version of the last save', () =>
  withClient('v2 client, 2026-07-28', async (_client, ask) => {
    assert.match(await ask('count', {}, true), /^\{"api":5\}\nVersion 3/);
    await save('api/more.ts', route('get', '() => 1'));
    assert.equal(JSON.parse(await ask('count')), { api: 6 });
    await save('lib/counting.ts', counting('number'));
    assert.equal(JSON.parse(await ask('number')), { api: 6 });
  }));

test('works for a project that does not boot', async () => {
  const made = project({ 'api/broken.ts': 'export default 5;\n', 'services/x.ts': 'export default 6;\n' });
  const server = await dev(made);
  const client = await connected('v1 client', { url: server.url, path });
  try {
    const ask = asking(client);
    assert.match(
      await ask('routes', {}, true),
      /Nothing is served yet[\s\S]*api\/broken\.ts[\s\S]*services\/x\.ts/,
    );
    assert.match(await ask('errors', {}, true), 'services/x.ts');
    const from = server.output.mark();
    made.write('api/broken.ts', route('get', '() => 1'));
    made.remove('services/x.ts');
    await server.waitFor(/reloaded/, from);
    assert.match(await ask('routes'), 'GET /api/broken');
    assert.not.match(await ask('errors', {}, true), 'services/x.ts');
  } finally {
    await client.close();
    await server.stop();
  }
});

test.run();
