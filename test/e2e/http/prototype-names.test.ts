import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { project } from '../../harness/project.js';
import { begin, call, post, rpc } from '../../harness/rpc.js';
import { route } from '../../harness/source.js';

// Words that every object has a member for: who sends or writes one must not be answered with that member.

const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

const files = {
  '.env': 'constructor=from-a-file\n',
  'api/type.ts': route('get', `(req, res) => { res.type(req.query.name ?? ''); return 'text'; }`),
  'api/header.ts': route('get', `(req) => ({ value: typeof req.header(req.query.name ?? '') })`),
  'api/env.ts': route('get', `() => ({ value: process.env.constructor })`),
  'mcp/tools/block.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Returns an object with a type.',
  input: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
  handler: ({ type }) => ({ type }),
});`,
  'mcp/tools/ask.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Asks what cannot be asked.',
  input: { type: 'object', properties: { method: { type: 'string' } }, required: ['method'] },
  handler: ({ method }, _ctx, call) => call.ask(method as 'roots/list').catch((thrown) => String(thrown.message)),
});`,
  'mcp/prompts/greet.ts': `import { prompt } from 'fwkit/mcp';
export default prompt({
  input: { type: 'object', properties: { name: { type: 'string' } } },
  complete: { name: (prefix) => [prefix] },
  handler: () => 'Greet.',
});`,
};

const test = suite('prototype names');

const server = await dev(project(files));
test.after(async () => void (await server.stop()));

test('res.type() does not treat them as short names', async () => {
  for (const name of NAMES) {
    const { status, headers } = await request(server.url, `/api/type?name=${name}`);
    assert.equal([status, headers['content-type']], [200, name], name);
  }
});

test('req.header() does not return them', async () => {
  for (const name of NAMES) {
    const { json } = await request(server.url, `/api/header?name=${name}`);
    assert.equal(json, { value: 'undefined' }, name);
  }
});

test('a variable of an .env file can have such a name', async () => {
  assert.equal((await request(server.url, '/api/env')).json, { value: 'from-a-file' });
});

test('a route can have such a name', async () => {
  const made = project({ 'api/constructor.ts': route('get', '() => 1') });
  const { stdout, stderr } = await fwk(made, 'routes');
  assert.is(stdout, 'GET /api/constructor\n', stderr);
});

test('a tool can return an object with such a type', async () => {
  const session = await begin(server.url);
  for (const type of NAMES)
    assert.is(await call(server.url, 'block', { type }, session), `{"type":"${type}"}`);
});

test('call.ask() lists the supported methods', async () => {
  const session = await begin(server.url);
  for (const method of NAMES)
    assert.match(
      await call(server.url, 'ask', { method }, session),
      /^call\.ask\(\) takes "elicitation\/create"/,
    );
});

test('a completion for such an argument has no values', async () => {
  const session = await begin(server.url);
  for (const name of NAMES) {
    const params = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name, value: 'a' } };
    const { json } = await post(server.url, rpc('completion/complete', params), session);
    assert.equal((json as { result: unknown }).result, {
      completion: { values: [], total: 0, hasMore: false },
    });
  }
});

test('a directory of mcp/ with such a name is reported', async () => {
  const { status, stderr } = await fwk(
    project({ 'mcp/constructor/a.ts': files['mcp/tools/block.ts'] }),
    'mcp',
  );
  assert.is(status, 1);
  assert.match(stderr, /src\/mcp\/constructor\/a\.ts.* is not in mcp\/tools\//s);
});

test('a schema whose vendor has such a name is reported', async () => {
  const schema = `{ '~standard': { version: 1, vendor: 'constructor', validate: (value: unknown) => ({ value }) } }`;
  const tool = `import { tool } from 'fwkit/mcp';\nexport default tool({ input: ${schema}, handler: () => '' });`;
  const { status, stderr } = await fwk(project({ 'mcp/tools/a.ts': tool }), 'mcp');
  assert.is(status, 1);
  assert.match(stderr, /Use a version of constructor that implements Standard JSON Schema/);
});

test('a plugin and its option can have such a name without a value in the config', async () => {
  const config = `import { defineConfig } from 'fwkit';
import { definePlugin, option } from 'fwkit/plugin';
const options = { valueOf: option.boolean(true) };
export default defineConfig({ plugins: [definePlugin({ name: 'constructor', options, apply: () => {} })] });`;
  const made = project({ 'fwk.config.ts': config, 'api/a.ts': route('get', '() => 1') });
  const { status, stderr } = await fwk(made, 'routes');
  assert.is(status, 0, stderr);
});

test('a command and a flag cannot have such a name', async () => {
  const made = project({ 'api/a.ts': route('get', '() => 1') });
  for (const name of NAMES) {
    assert.match((await fwk(made, name)).stderr, new RegExp(`There is no command "${name}"`));
    assert.match((await fwk(made, 'routes', `--${name}`)).stderr, new RegExp(`There is no flag "--${name}"`));
  }
});

test.run();
