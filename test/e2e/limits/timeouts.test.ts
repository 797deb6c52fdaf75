import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { configFile, di, middleware, module, route } from '../../harness/source.js';

const timed = (handler: string, meta = '{ timeout: 150 }'): string =>
  route('get, post, error', handler).replace(/;\s*$/, `.meta(${meta});`);
const never = 'await new Promise(() => {});';

const test = suite<Record<string, never>>('timeouts', {});

const server = await production({
  'fwk.config.ts': configFile('{ http: { timeout: 5_000 } }'),
  // A scope for each request, to see when it is closed.
  'di/trace.ts': di(
    'request',
    `(ctx, { req, onDestroy }) => {
       onDestroy(() => console.log('[closed ' + req.path + ']'));
       return {};
     }`,
  ),
  'api/quick.ts': timed('() => "quick"'),
  'api/none.ts': timed(`() => new Promise((resolve) => setTimeout(resolve, 300, 'late'))`, '{ timeout: 0 }'),
  'api/sleeps.ts': timed(`async (req, res, { trace }) => {
    res.header('x-kept', 'yes');
    await new Promise((resolve) => setTimeout(resolve, 500));
    console.log('[done ' + trace + req.signal.reason.name + ']');
    return 'late';
  }`),
  'api/rejects.ts': timed(`async (req) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    throw new Error('too late');
  }`),
  'api/sends.ts': timed(`async (req, res) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    res.json('late');
  }`),
  'api/obeys.ts': timed(`({ signal }) => new Promise((resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason)))`),
  'api/stuck.ts': timed(`() => (async function* () { ${never} yield 'a'; })()`),
  'api/flows.ts': timed(`() => (async function* () {
    yield 'a';
    await new Promise((resolve) => setTimeout(resolve, 400));
    yield 'b';
  })()`),
  'api/held.ts': timed(`(req, res) => { res.beforeHead(() => new Promise(() => {})); return 1; }`),
  'web/guarded/_middleware.ts': module(
    'middleware, isHttpError',
    `export default middleware(async (req, res, ctx, next) => {
       try {
         return await next();
       } catch (thrown) {
         res.header('x-seen', thrown.name + ' ' + isHttpError(thrown));
         if (req.query.hang) await new Promise(() => {});
         throw thrown;
       }
     });`,
  ),
  'web/guarded/sleeps.ts': timed(`async (req) => { await new Promise((resolve) => setTimeout(resolve, 400));
    console.log('[done ' + req.path + ']'); return 1; }`),
  'web/hanging/_middleware.ts': middleware('() => new Promise(() => {})'),
  'web/hanging/page.ts': timed('() => 1'),
  'web/guarded/body.post.ts': route('post', '({ body }) => body').replace(
    /;\s*$/,
    '.meta({ timeout: 150 });',
  ),
  'api/body.post.ts': route('post', '({ body }) => body').replace(/;\s*$/, '.meta({ timeout: 150 });'),
});
test.after(() => server.stop());

const refusal = {
  status: 503,
  title: 'Service Unavailable',
  message: 'The request timed out on the server',
};
const count = (text: RegExp): number => server.output.all.match(text)?.length ?? 0;

test('a route answers within its timeout, and without one', async () => {
  assert.is((await server.raw('/api/quick')).text, '"quick"');
  assert.is((await server.raw('/api/none')).text, '"late"');
});

test('a timeout is a 503, and the scope closes when the handler ends', async () => {
  const from = server.output.mark();
  const { status, json, headers } = await server.raw('/api/sleeps');
  assert.is(status, 503);
  assert.equal(json, refusal);
  assert.is(headers['x-kept'], 'yes');
  assert.not.match(server.output.all.slice(from), /\[(done|closed)/);
  await server.output.waitFor(/\[closed \/api\/sleeps\]/, from);
  const said = server.output.all.slice(from);
  const line = /^.*GET \/api\/sleeps in api\/sleeps\.js took longer than its timeout of 150 ms\..*$/m;
  const { requestId, route: label } = JSON.parse(line.exec(said)?.[0] ?? '{}');
  assert.equal([typeof requestId, label], ['string', 'GET /api/sleeps']);
  assert.match(said, /\[done \[object Object\]TimeoutError\][\s\S]*\[closed/);
  await server.output.waitFor(/GET \/api\/sleeps in api\/sleeps\.js ended \d+ ms after its timeout\./, from);
});

test('errors and responses of a handler after its timeout are logged, and the next request is answered', async () => {
  for (const path of ['/api/rejects', '/api/sends']) {
    const from = server.output.mark();
    assert.is((await server.raw(path)).status, 503);
    await server.output.waitFor(/failed \d+ ms after its timeout.*(too late|already been sent)/, from);
  }
  assert.is((await server.raw('/api/obeys')).status, 503);
  await server.output.waitFor(/\/api\/obeys in \S+ ended/);
  assert.is(count(/obeys.*failed/g), 0, 'it ended because it was told to');
  assert.is((await server.raw('/api/quick')).status, 200);
});

test('the timeout of a stream ends with its first chunk', async () => {
  assert.equal((await server.raw('/api/stuck')).json, refusal);
  assert.is((await server.raw('/api/flows')).text, 'ab');
});

test('cuts off a response whose beforeHead callback hangs', async () => {
  const failure: unknown = await server.raw('/api/held').catch((thrown) => thrown);
  assert.match(String(failure), /ECONNRESET|socket hang up/);
});

test('the layers around a handler see the timeout as an error', async () => {
  const from = server.output.mark();
  const { status, headers } = await server.raw('/guarded/sleeps');
  assert.is(status, 503);
  assert.is(headers['x-seen'], 'TimeoutError true');
  await server.output.waitFor(/\[done \/guarded\/sleeps\]/, from);
});

test('a hanging middleware does not prevent the response', async () => {
  assert.equal(
    (await server.raw('/hanging/page', { headers: { accept: 'application/json' } })).json,
    refusal,
  );
  assert.is((await server.raw('/guarded/sleeps?hang=1')).status, 503);
});

test('the time for sending the request body does not count', async () => {
  for (const path of ['/api/body', '/guarded/body']) {
    const connection = await connect(server.url);
    connection.send(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\na `,
    );
    // Longer than the time-out: another route is slower.
    await server.raw('/api/none');
    connection.send('body');
    assert.match(await connection.read(/a body"?$/), /^HTTP\/1\.1 200 /);
    connection.close();
  }
});

test.run();
