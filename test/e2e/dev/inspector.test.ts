import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { request } from '../../harness/http.js';
import { type Inspected, inspected } from '../../harness/inspected.js';
import { connectSocket } from '../../harness/socket.js';
import { module, route } from '../../harness/source.js';

// What the dev page is told of a running project: routes, ctx, requests, errors, sockets, reloads.

const files = {
  'fwk.config.ts': module('defineConfig', 'export default defineConfig({ log: { access: false } });'),
  'middlewares/1.trace.ts': module(
    'middleware',
    'export default middleware(async (req, res, ctx, next) => { ctx.logger.info({ password: "hunter2", at: "trace" }, "traced"); return next(); });',
  ),
  'api/users/_middleware.ts': module(
    'middleware',
    'export default middleware((req, res, ctx, next) => next());',
  ),
  'services/db.ts': module('service', 'export default service(() => ({ name: "db" }));'),
  'services/store.ts': module('service', 'export default service((ctx) => ({ of: ctx.db.name }));'),
  'di/user.ts': module(
    'di',
    'export default di({ lifetime: "request", value: (ctx) => ({ from: ctx.store.of }) });',
  ),
  'api/users/[id].get.ts': route(
    'get',
    '(req, res, ctx) => { if (req.params.id === "0") throw new Error("no user 0"); return { id: req.params.id, by: ctx.user.from }; }',
  ),
  'api/login.post.ts': route(
    'post',
    '(req, res) => { res.cookie("sid", "verysecret", {}); return { token: "topsecret", hello: req.body.name }; }',
  ),
  'ws/rooms/[room].ts': module(
    'ws',
    'export default ws(({ join, params, send }) => { join(params.room); send("in"); });',
  ),
};

const test = suite('the inspector');
const run = (act: (inspected: Inspected) => Promise<void>, more = {}) =>
  inspected({ ...files, ...more }, act);

test('routes are listed with file, chain and layers; ctx with what reads what', () =>
  run(async ({ read, made }) => {
    const routes = (await read('/_fwk/state', 'routes')) as Record<string, unknown>[];
    const { file, chain, layers } = routes.find(({ label }) => label === 'GET /api/users/:id') ?? {};
    assert.is(file, made.label('api/users/[id].get.ts'));
    assert.equal(chain, [made.label('middlewares/1.trace.ts'), made.label('api/users/_middleware.ts')]);
    assert.ok(Array.isArray(layers) && layers.includes('json-response'));
    const providers = (await read('/_fwk/state', 'providers')) as Record<string, unknown>[];
    assert.equal(
      providers.map(({ key, lifetime, reads, known }) => [key, lifetime, reads, known]),
      [
        ['db', 'singleton', [], 'seen'],
        ['rooms', 'singleton', [], 'seen'],
        ['store', 'singleton', ['db'], 'seen'],
        ['user', 'request', ['store'], 'source'],
      ],
    );
  }));

test('a request is recorded with the time of each layer, its log lines and bodies; secrets are not shown', () =>
  run(async ({ get, post, read, newest }) => {
    const body = { name: 'Ada', password: 'hunter2' };
    await post('/api/login?token=t0ken&x=1', body, {
      authorization: 'Bearer hunter2',
      cookie: 'a=hunter2; b=1',
    });
    const told = JSON.stringify(await newest());
    for (const secret of ['hunter2', 't0ken', 'verysecret', 'topsecret']) assert.not.match(told, secret);
    assert.is(await newest('target'), '/api/login?token=[redacted]&x=1');
    assert.is(await newest('status'), 200);
    assert.equal(JSON.parse(String(await newest('body', 'text'))), { name: 'Ada', password: '[redacted]' });
    assert.equal(JSON.parse(String(await newest('answer', 'body', 'text'))), {
      token: '[redacted]',
      hello: 'Ada',
    });
    assert.match(JSON.stringify(await newest('headers')), '"a=[redacted]; b=[redacted]"');
    assert.match(String(await newest('lines', 0, 'text')), /^traced \{.*at: 'trace'/);

    await get('/api/users/7');
    const layers = (await newest('layers')) as { name: string; time: number; own: number }[];
    const names = layers.map(({ name }) => name);
    assert.ok(
      names.indexOf('src/middlewares/1.trace.ts') < names.indexOf('src/api/users/_middleware.ts'),
      names.join(),
    );
    assert.is(names.at(-1), 'handler');
    for (const { time, own } of layers) assert.ok(time >= own && own >= 0);
    // Its own requests are none of the app's.
    assert.is(((await read('/_fwk/state', 'requests')) as unknown[]).length, 2);
  }));

test('an error is shown with its source, and where no route answers, that', () =>
  run(async ({ get, newest, read, made }) => {
    assert.is((await get('/api/users/0')).status, 500);
    assert.is(await newest('failure', 'traces', 0, 'headline'), 'Error: no user 0');
    assert.match(
      String(await newest('failure', 'traces', 0, 'source', 'place')),
      made.label('api/users/[id].get.ts'),
    );
    assert.is(await read('/_fwk/state', 'failures', 0, 'traces', 0, 'headline'), 'Error: no user 0');
    assert.is((await get('/nowhere')).status, 404);
    assert.equal([await newest('status'), await newest('route')], [404, undefined]);
  }));

test('a request is run again as it was, with its credentials, and another one is tried', () =>
  run(async ({ post, read, newest }) => {
    await post('/api/login', { name: 'Ada' }, { authorization: 'Bearer abc' });
    const id = await newest('id');
    const again = (await post('/_fwk/again', { id })).json as Record<string, unknown>;
    assert.is(again.status, 200);
    assert.match(JSON.stringify(again.body), 'Ada');
    assert.is(await newest('id'), again.request);
    assert.not.equal(again.request, id);
    assert.match(JSON.stringify(await newest('headers')), '"authorization"');

    const call = { method: 'post', path: '/api/login', body: { name: '<b>Bob' }, headers: { 'x-a': '1' } };
    const tried = await post('/_fwk/call', call);
    // The browser keeps what the app sets.
    assert.match(String(tried.headers['set-cookie']), 'sid=verysecret');
    assert.match(tried.text, '<b>Bob');
    assert.not.match(tried.text, 'verysecret');
    for (const [given, sentence] of [
      [{ path: 'x' }, /^"path" is none/],
      [{ path: '/_fwk/call' }, /development server itself/],
      [{ path: '/', method: 'G T' }, /^"method" is none/],
      [{ path: '/', headers: { 'a\nb': '1' } }, /cannot be sent/],
      [{ path: '/', headers: { a: 'b\r\nc: d' } }, /cannot be sent/],
    ] as const) {
      const { status, json } = await post('/_fwk/call', given);
      assert.is(status, 400);
      assert.match(String(Object(json).message), sentence);
    }
    assert.match((await post('/_fwk/again', { id: 12345 })).text, 'not kept any more');
    const streamed = await post('/api/login', 'x'.repeat(200_000), { 'content-type': 'text/plain' });
    assert.is(streamed.status, 200);
    assert.is(await newest('isRepeatable'), false);
    assert.is(((await read('/_fwk/state', 'requests')) as unknown[]).length > 2, true);
  }));

test('no more than a hundred requests are kept', () =>
  run(async ({ server, read }) => {
    for (let count = 0; count < 130; count += 1) await request(server.url, '/api/users/1');
    const requests = (await read('/_fwk/state', 'requests')) as { id: number }[];
    assert.equal([requests.length, requests[0]?.id, requests.at(-1)?.id], [100, 130, 31]);
  }));

test('sockets and rooms are there as long as they are open', () =>
  run(async ({ server, read }) => {
    const peer = await connectSocket(server.url, '/ws/rooms/tea');
    await peer.next();
    assert.equal(await read('/_fwk/state', 'rooms'), [{ room: 'tea', members: 1 }]);
    assert.is(await read('/_fwk/state', 'sockets', 0, 'route'), '/ws/rooms/:room');
    peer.socket.close();
    await peer.closed;
  }));

test('a reload says which routes changed, and a broken one why', () =>
  run(async ({ made, server, read, get }) => {
    const from = server.output.mark();
    made.write('api/new.get.ts', route('get', '() => 1'));
    await server.waitFor(/reloaded/, from);
    await get('/api/new');
    assert.equal(await read('/_fwk/state', 'reloads', 0, 'routes', 'added'), ['GET /api/new']);
    const later = server.output.mark();
    made.write('services/db.ts', module('service', 'export default service(() => ({ name: "other" }));'));
    await server.waitFor(/reloaded/, later);
    assert.is(await read('/_fwk/state', 'reloads', 0, 'isServed'), true);
    const broken = server.output.mark();
    made.write('api/new.get.ts', 'export default get(');
    await server.waitFor(/still serving/, broken);
    assert.match(String(await read('/_fwk/state', 'problems', 0, 'file')), made.label('api/new.get.ts'));
    assert.is(await read('/_fwk/state', 'isServed'), true);
  }));

test('the terminal names the page, and `disable` takes it away', async () => {
  await run(async ({ server }) => void (await server.waitFor(/➜ http:\/\/\S+\/_fwk /)));
  const config = module('defineConfig', "export default defineConfig({ disable: ['inspector'] });");
  await run(
    async ({ get, server }) => {
      assert.is((await get('/_fwk')).status, 404);
      assert.is((await get('/api/users/1')).status, 200);
      assert.not.match(server.output.all, '/_fwk ');
    },
    { 'fwk.config.ts': config },
  );
});

test.run();
