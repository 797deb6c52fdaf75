import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { connected } from '../../harness/mcp-clients.js';
import { project } from '../../harness/project.js';
import { begin, call, initialize, post, rpc, stateless } from '../../harness/rpc.js';
import { running } from '../../harness/running.js';
import { build, MAIN, production, TSCONFIG } from '../../harness/settings.js';
import { di, middleware } from '../../harness/source.js';
import { team, workersMain } from '../../harness/workers.js';

const route = (definition: string, handler: string, before = ''): string =>
  `import { get } from 'fwkit';\n${before}\nexport default get(${definition}, ${handler});\n`;

const test = suite('route tools in every setting');

test('after a build, tools are known without their modules, which the first list imports', async () => {
  const made = project({
    'main.ts': MAIN,
    'tsconfig.json': TSCONFIG,
    'fwk.config.ts': `import { defineConfig } from 'fwkit';
export default defineConfig({ http: { checkResponses: false } });`,
    'api/notes/[id].get.ts': route(
      `{ description: 'A note.', query: z.object({ n: z.number().default(1) }), response: z.object({ id: z.string() }), tool: true }`,
      '({ params, query }) => ({ id: params.id, n: query.n })',
      `import { z } from 'zod';\nconsole.log('imported');`,
    ),
    'api/broken.get.ts': route(
      '{ tool: true }',
      `() => 'never'`,
      `if (process.env.BREAKS) throw new Error('the secret reason');`,
    ),
    'api/other.get.ts': route(`{ tool: { name: 'other' } }`, `() => 'other'`, `console.log('imported too');`),
  });
  linkLibraries(made);
  await build(made);
  const { output, url, stop } = await production(made, 'dist/main.js', process.execPath, ['BREAKS=1']);
  assert.is((await post(url, initialize)).status, 200);
  assert.not.match(output.all, /imported/);
  const session = await begin(url);
  assert.is(await call(url, 'other', {}, session), '"other"');
  assert.match(output.all, /imported too/);
  assert.not.match(output.all, /^imported$/m);
  const { result } = (await post(url, rpc('tools/list'), session)).json as {
    result: { tools: { name: string; outputSchema?: object; inputSchema: { properties: object } }[] };
  };
  assert.equal(
    result.tools.map(({ name, outputSchema }) => [name, outputSchema]),
    // The schema describes only checked input.
    [
      ['getNotesId', undefined],
      ['other', undefined],
    ],
  );
  assert.equal(Object.keys(result.tools[0]?.inputSchema.properties ?? {}), ['id', 'n']);
  assert.is(await call(url, 'getNotesId', { id: 'a', n: 2 }, session), '{"id":"a","n":2}');
  assert.is(await call(url, 'getBroken', {}, session), 'The tool getBroken failed on the server.');
  assert.match(
    output.all,
    /"code":"FWK514".*The tool getBroken is not listed, because dist\/api\/broken\.get\.js throws".*secret/,
  );
  await stop();
});

test('every worker answers', async () => {
  const made = project(
    {
      'main.ts': workersMain('workers: 2'),
      'fwk.config.ts': `import { defineConfig } from 'fwkit';
export default defineConfig({ mcp: { sessions: false } });`,
      'api/pid.get.ts': route('{ tool: true }', '() => process.pid'),
    },
    'js',
  );
  const app = await team(made);
  const pids = new Set<string>();
  const [message, own] = stateless('tools/call', { name: 'getPid', arguments: {} });
  const accept = 'application/json, text/event-stream';
  const headers = { ...own, accept, 'content-type': 'application/json' };
  for (let asked = 0; asked < 4; asked += 1) {
    const { text } = await app.ask('/mcp', { method: 'POST', headers, body: JSON.stringify(message) });
    pids.add(/"text":"(\d+)"/.exec(text)?.[1] ?? text);
  }
  assert.equal([...pids].map(Number).sort(), await app.pids());
  await app.stop();
});

test('a save adds, changes and removes tools and notifies clients, and a call ends in its version', async () => {
  const files = {
    'lib/limit.ts': 'export const limit = 5;',
    'api/slow.get.ts': route(
      '{}',
      `() => new Promise((resolve) => { process.once('go', () => resolve('first')); console.log('waits'); })`,
    ),
    'api/go.get.ts': route('{}', `() => process.emit('go')`),
  };
  await running(files, async ({ made, server, save, json }) => {
    linkLibraries(made);
    assert.is((await post(server.url, initialize)).status, 404);
    const slow = files['api/slow.get.ts'].replace('{}', '{ tool: true }');
    await save({ 'api/slow.get.ts': slow });
    const changes: (() => void)[] = [];
    const client = await connected('v2 client, 2025', { url: server.url }, ({ client, named }) => {
      client.setNotificationHandler(named('notifications/tools/list_changed'), () => changes.shift()?.());
    });
    const changed = () => new Promise<void>((resolve) => void changes.push(resolve));
    const names = async () =>
      (await client.listTools({}, { cacheMode: 'refresh' })).tools.map(({ name }) => name);
    assert.equal(await names(), ['getSlow']);

    const notification = changed();
    const calling = client.callTool({ name: 'getSlow' });
    await server.waitFor(/waits/);
    const limited = route(
      '{ query: z.object({ n: z.number().max(limit) }), tool: true }',
      '({ query }) => query.n',
      `import { z } from 'zod';\nimport { limit } from '../lib/limit.js';`,
    );
    await save({ 'api/limited.get.ts': limited, 'api/slow.get.ts': slow.replace('first', 'second') });
    await notification;
    await json('/api/go');
    assert.is((await calling).content[0]?.text, '"first"');
    assert.equal(await names(), ['getLimited', 'getSlow']);

    const again = changed();
    await save({ 'lib/limit.ts': 'export const limit = 6;' });
    await again;
    const { tools } = await client.listTools({}, { cacheMode: 'refresh' });
    assert.match(JSON.stringify(tools), /"maximum":6/);
    assert.is((await client.callTool({ name: 'getLimited', arguments: { n: 6 } })).content[0]?.text, '6');

    const removed = changed();
    await save({ 'api/limited.get.ts': limited.replace(', tool: true', '') });
    await removed;
    assert.equal(await names(), ['getSlow']);
    await client.close();
  });
});

test('without mcp/, the endpoint has no file, and session values belong to the visitor', async () => {
  const made = project({
    'api/x.get.ts': route('{ tool: true }', `(req, res, ctx) => ctx.cart.length`),
    'di/cart.ts': di('session', `() => []`),
  });
  assert.is(
    (await fwk(made, 'routes', '--verbose')).stdout,
    'GET /api/x  src/api/x.get.ts\nMCP /mcp  plugin "mcp"\n',
  );
  assert.equal(await fwk(made, 'mcp'), { status: 0, stdout: 'Endpoint /mcp\ntool getX\n', stderr: '' });

  made.write('mcp/_middleware.ts', middleware('(_req, _res, _ctx, next) => next()'));
  assert.match(
    (await fwk(made, 'routes', '--verbose')).stdout,
    /^MCP \/mcp {2}src\/mcp {2}src\/mcp\/_middleware\.ts$/m,
  );
});

test('without route tools and mcp/, there is no endpoint', async () => {
  const made = project({ 'api/x.get.ts': route(`{ title: 'x' }`, `() => 'x'`) });
  assert.is((await fwk(made, 'routes')).stdout, 'GET /api/x\n');
});

test.run();
