import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inspected, inspecting } from '../../harness/dev-page.js';
import { request } from '../../harness/http.js';
import { connectSocket } from '../../harness/socket.js';
import { configFile, di, middleware, postRoute, route, service, wsModule } from '../../harness/source.js';

const files = {
  'fwk.config.ts': configFile(`{ log: { access: false, redact: ['iban'] } }`),
  'middlewares/1.trace.ts': middleware(
    'async (req, res, ctx, next) => { ctx.logger.info({ password: "hunter2", at: "trace" }, "traced"); return next(); }',
  ),
  'api/users/_middleware.ts': middleware('(req, res, ctx, next) => next()'),
  'services/db.ts': service('() => ({ name: "db" })'),
  'services/store.ts': service('(ctx) => ({ of: ctx.db.name })'),
  'di/user.ts': di('request', '(ctx) => ({ from: ctx.store.of })'),
  'api/users/[id].get.ts': route(
    '(req, res, ctx) => { if (req.params.id === "0") throw new Error("no user 0"); return { id: req.params.id, by: ctx.user.from }; }',
  ),
  'api/login.post.ts': postRoute(
    '(req, res) => { res.cookie("sid", "verysecret", {}); return { token: "topsecret", hello: req.body.name }; }',
  ),
  'api/go.get.ts': route("(req, res) => res.redirect('/in?next=1&access_token=s3cret#id_token=s3cret')"),
  'api/fail.get.ts': route('get', "() => { throw new Error('it failed'); }"),
  'api/connect.get.ts': route(
    `() => { const it = ['s3', 'cret'].join(''); throw new Error(\`cannot reach postgres://shop:\${it}@db/shop, token="\${it}"\`); }`,
  ),
  'api/any.post.ts': postRoute(
    "(req, res, ctx) => { ctx.logger.info('asked at /x?token=s3cret with Bearer s3cret0, ' + JSON.stringify({ password: 's3cret' })); return res.type('text/event-stream').send('data: {\"n\":1,\"token\":\"s3cret\"}\\n\\n'); }",
  ),
  'ws/fail.ts': wsModule("({ messages }) => { throw new Error('it failed'); }"),
  'ws/rooms/[room].ts': wsModule('({ join, params, send }) => { join(params.room); send("in"); }'),
};

const test = suite('the inspector');
const { get, post, read, newest, made, server, save } = await inspecting(test, files);

test('lists routes with file, chain and layers, and ctx with dependencies', async () => {
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
});

test('records a request with the time of each layer, log lines and bodies, and masks secrets', async () => {
  const body = { name: 'Ada', password: 'hunter2' };
  await post('/api/login?token=t0ken&x=1', body, {
    authorization: 'Bearer hunter2',
    cookie: 'a=hunter2; b=1',
  });
  const recorded = JSON.stringify(await newest());
  for (const secret of ['hunter2', 't0ken', 'verysecret', 'topsecret']) assert.not.match(recorded, secret);
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
  // The dev page's own requests are not listed.
  assert.is(((await read('/_fwk/state', 'requests')) as unknown[]).length, 2);
});

test('shows an error with its source, and reports a URL without a route', async () => {
  assert.is((await get('/api/users/0')).status, 500);
  assert.is(await newest('failure', 'traces', 0, 'headline'), 'Error: no user 0');
  assert.match(
    String(await newest('failure', 'traces', 0, 'excerpt', 'file')),
    made.label('api/users/[id].get.ts'),
  );
  assert.is(await read('/_fwk/state', 'failures', 0, 'traces', 0, 'headline'), 'Error: no user 0');
  assert.is((await get('/nowhere')).status, 404);
  assert.equal([await newest('status'), await newest('route')], [404, undefined]);
});

test('repeats a request with its credentials, and sends a new one', async () => {
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
  // The browser keeps the app's cookies.
  assert.match(String(tried.headers['set-cookie']), 'sid=verysecret');
  assert.match(tried.text, '<b>Bob');
  assert.not.match(tried.text, 'verysecret');
  for (const [given, sentence] of [
    [{ path: 'x' }, /^"path" is not a URL path/],
    [{ path: '/_fwk/call' }, /development server itself/],
    [{ path: '/', method: 'G T' }, /^"method" is not an HTTP method/],
    [{ path: '/', headers: { 'a\nb': '1' } }, /cannot be sent/],
    [{ path: '/', headers: { a: 'b\r\nc: d' } }, /cannot be sent/],
  ] as const) {
    const { status, json } = await post('/_fwk/call', given);
    assert.is(status, 400);
    assert.match(String(Object(json).message), sentence);
  }
  assert.match((await post('/_fwk/again', { id: 12345 })).text, 'no longer stored');
  const streamed = await post('/api/login', 'x'.repeat(200_000), { 'content-type': 'text/plain' });
  assert.is(streamed.status, 200);
  assert.is(await newest('isRepeatable'), false);
  assert.is(((await read('/_fwk/state', 'requests')) as unknown[]).length > 2, true);
});

test('masks secrets everywhere', async () => {
  const without = async (what: string): Promise<void> => {
    const recorded = JSON.stringify([await newest(), await read('/_fwk/state')]);
    assert.not.match(recorded, 's3cret', what);
    assert.match(recorded, 'redacted', what);
  };
  await get('/api/go', { referer: 'http://localhost/reset?token=s3cret' });
  assert.is(await newest('status'), 302);
  await without('Location and Referer');

  await get('/api/fail?token=s3cret');
  assert.is(await read('/_fwk/state', 'failures', 0, 'where'), 'GET /api/fail?token=[redacted]');
  await without('the place of an error');

  await get('/api/connect');
  assert.match(String(await newest('error')), 'postgres://shop:[redacted]@db/shop');
  await without('the message of an error');

  const peer = await connectSocket(server.url, '/ws/fail?token=s3cret');
  await peer.closed;
  assert.is(await read('/_fwk/state', 'failures', 0, 'where'), 'WS /ws/fail?token=[redacted]');

  await post('/api/any', { a: 1 });
  assert.match(JSON.stringify(await newest('answer', 'body')), 'data: ');
  assert.match(JSON.stringify(await newest('lines')), 'asked at');
  await without('a stream of events, and a line of the log');

  for (const given of [
    { iban: 's3cret' },
    { user: { passwordConfirmation: 's3cret', password2: 's3cret', pwd: 's3cret' } },
    { query: 'mutation { login(name: "Ada", password: "s3cret \\" s3cret") { id } }' },
    { url: 'redis://:s3cret@cache:6379', secretKey: 's3cret', AWS_SECRET_ACCESS_KEY: 's3cret' },
    { within: JSON.stringify({ a: { token: 's3cret', b: 1 } }) },
  ]) {
    await post('/api/any', given);
    await without(JSON.stringify(given));
  }
  await post('/api/any', 'name=Ada&iban=s3cret', { 'content-type': 'application/x-www-form-urlencoded' });
  await without('a form');
  const filler = 'x'.repeat(70_000);
  const cut = `{"n":1,"credentials":{"key":"s3cret","more":["s3cret"]},"passwor\\u0064":"s3cret","kept":"yes","f":"${filler}"}`;
  await post('/api/any', cut, { 'content-type': 'application/json' });
  assert.match(String(await newest('body', 'text')), '"kept":"yes"');
  await without('the beginning of a body');
  const { status } = await request(server.url, '/api/any', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync('{"token":"s3cret"}'),
  });
  assert.ok(status >= 200);
  assert.not.match(JSON.stringify(await newest()), 's3cret');
});

test('keeps values that are not secret unchanged', async () => {
  const given = {
    path: '/a?b=c&d',
    text: 'He said: "yes" and a = \'b\'',
    n: [1, null, true],
    tokenize: 'on',
  };
  await post('/api/any', given);
  assert.equal(JSON.parse(String(await newest('body', 'text'))), given);
});

test('keeps at most 100 requests', async () => {
  for (let count = 0; count < 130; count += 1) await request(server.url, '/api/users/1');
  const requests = (await read('/_fwk/state', 'requests')) as { id: number }[];
  assert.is(requests.length, 100);
  assert.is(Number(requests[0]?.id) - Number(requests.at(-1)?.id), 99);
});

test('lists sockets and rooms while they are open', async () => {
  const peer = await connectSocket(server.url, '/ws/rooms/tea');
  await peer.next();
  assert.equal(await read('/_fwk/state', 'rooms'), [{ room: 'tea', members: 1 }]);
  assert.is(await read('/_fwk/state', 'sockets', 0, 'route'), '/ws/rooms/:room');
  peer.socket.close();
  await peer.closed;
});

test('lists the routes that a reload changed, and the problem of a broken one', async () => {
  await save('api/new.get.ts', route('get', '() => 1'));
  await get('/api/new');
  assert.equal(await read('/_fwk/state', 'reloads', 0, 'routes', 'added'), ['GET /api/new']);
  await save('services/db.ts', service('() => ({ name: "other" })'));
  assert.is(await read('/_fwk/state', 'reloads', 0, 'isServed'), true);
  await save('api/new.get.ts', 'export default get(', /still serving/);
  assert.match(String(await read('/_fwk/state', 'problems', 0, 'file')), made.label('api/new.get.ts'));
  assert.is(await read('/_fwk/state', 'isServed'), true);
});

test('the terminal prints the URL of the page, and `disable` removes it', async () => {
  await server.waitFor(/➜ http:\/\/\S+\/_fwk /);
  const config = configFile("{ disable: ['inspector'] }");
  await inspected({ ...files, 'fwk.config.ts': config }, async (other) => {
    assert.is((await other.get('/_fwk')).status, 404);
    assert.is((await other.get('/api/users/1')).status, 200);
    assert.not.match(other.server.output.all, '/_fwk ');
  });
});

test.run();
