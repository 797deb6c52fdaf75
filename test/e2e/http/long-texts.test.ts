import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { project } from '../../harness/project.js';
import { begin, post, rpc } from '../../harness/rpc.js';
import { route } from '../../harness/source.js';

// Long texts from clients: matching takes linear time.

const routes = Array.from({ length: 300 }, (_, index) => [
  `api/r${index}/[...rest].ts`,
  route('get', '() => 1'),
]);

const made = project({
  ...Object.fromEntries(routes),
  'mcp/resources/day.ts': `import { resource } from 'fwkit/mcp';
export default resource({ uri: 'days://{year}-{month}-{day}', description: 'A day', handler: (_uri, _ctx, call) => call.uri });`,
});

const test = suite('long texts');

test('matches a long URI with a template of several variables', async () => {
  const server = await dev(made);
  const session = await begin(server.url);
  const read = (uri: string) => post(server.url, rpc('resources/read', { uri }), session);
  assert.match((await read('days://2026-11-22')).text, 'days://2026-11-22');
  assert.match((await read(`days://${'-'.repeat(500_000)}/`)).text, '"error"');
  await server.stop();
});

test('creates the 404 page for a long path', async () => {
  const server = await dev(made);
  const since = performance.now();
  const { status } = await request(server.url, `/${'ab'.repeat(7_500)}`, {
    headers: { accept: 'text/html' },
  });
  assert.is(status, 404);
  assert.ok(performance.now() - since < 1_000, `${performance.now() - since} ms`);
  await server.stop();
});

test.run();
