import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, project } from '../../harness/project.js';
import { running } from '../../harness/running.js';
import { build, MAIN, production, TSCONFIG } from '../../harness/settings.js';
import { connectSocket, handshake } from '../../harness/socket.js';
import { route } from '../../harness/source.js';
import { json } from './validation-project.js';

/** A schema without a library: an object whose `n` has a type. */
const schema = (type: string): string => `export const schema = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: (value) =>
      typeof value?.n === '${type}' ? { value: { n: value.n } } : { issues: [{ message: 'not a ${type}', path: ['n'] }] },
    jsonSchema: { input: () => ({ properties: { n: { type: '${type}' } } }), output: () => ({}) },
  },
};
`;
const files: Files = {
  'lib/schema.ts': schema('number'),
  'api/n.post.ts': `import { schema } from '../lib/schema.js';\n${route('post', '{ body: schema }, ({ body }) => body.n + 1')}`,
  'api/n.get.ts': `import { schema } from '../lib/schema.js';
console.log('[import n]');
${route('get', '{ query: schema, response: schema }, ({ query }) => ({ n: query.n, more: 1 })')}`,
  'api/events.get.ts': `import { schema } from '../lib/schema.js';
${route('sse', '{ query: schema, events: { message: schema } }, ({ send, req }) => send({ n: req.query.n, more: 1 })')}`,
  'ws/n.ts': `import { schema } from '../lib/schema.js';
${route('ws', '{ query: schema, receive: schema, send: schema }, ({ onJson, send }) => onJson((value) => { send(value); })')}`,
};

/** For a compiler, which would take the literals of its version for numbers. */
const anySchema = schema('number').replace('schema =', 'schema: any =');

const test = suite('schemas anywhere');

test('a build records the schemas of a route, and production imports them on its first request', async () => {
  const made = project({ ...files, 'lib/schema.ts': anySchema, 'main.ts': MAIN, 'tsconfig.json': TSCONFIG });
  await build(made);
  const { metadata } = JSON.parse(made.read('dist/fwk.manifest.json'));
  assert.equal(metadata['api/n.post.js'], { method: 'POST', meta: {}, checks: ['body'] });
  assert.equal(metadata['api/n.get.js'].checks, ['query', 'response']);
  assert.equal(metadata['api/events.get.js'].checks, ['query', 'events']);
  assert.equal(metadata['ws/n.js'].checks, ['query', 'receive', 'send']);
  const server = await production(made);
  assert.not.match(server.output.stdout, '[import n]');
  const plain = await fetch(`${server.url}/api/n`, json('1', 'text/plain'));
  assert.is(plain.status, 415);
  assert.equal(await (await fetch(`${server.url}/api/n?n=5`)).json(), { n: 5 });
  assert.is((await fetch(`${server.url}/api/n?n=x`)).status, 422);
  assert.is(await (await fetch(`${server.url}/api/n`, json({ n: 5 }))).json(), 6);
  assert.is(await (await fetch(`${server.url}/api/events?n=5`)).text(), 'data: {"n":5}\n\n');
  assert.is((await handshake(server.url, '/ws/n?n=x')).status, 422);
  const peer = (await connectSocket(server.url, '/ws/n?n=5')).send('{"n":6}', '{"n":"x"}');
  assert.equal(await peer.json(), { n: 6 });
  assert.equal(await peer.closed, [1007, 'n: not a number']);
  await server.stop();
});

test('an edited schema applies to the next request', async () => {
  await running(files, async ({ json: ask, save }) => {
    assert.equal(await ask('/api/n?n=5'), { n: 5 });
    await save({ 'lib/schema.ts': schema('string') });
    assert.equal(await ask('/api/n?n=5'), { n: '5' });
    await save({ 'api/n.get.ts': route('get', '({ query }) => query') });
    assert.equal(await ask('/api/n?n=5'), { n: '5' });
    await save({ 'api/n.get.ts': files['api/n.get.ts'] ?? '' });
    assert.equal(await ask('/api/n?n=5&m=6'), { n: '5' });
  });
});

test.run();
