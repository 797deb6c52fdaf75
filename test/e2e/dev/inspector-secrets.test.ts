import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { request } from '../../harness/http.js';
import { inspected } from '../../harness/inspected.js';
import { connectSocket } from '../../harness/socket.js';
import { module, route } from '../../harness/source.js';

// What a project and its clients send as secrets is shown to nobody: neither on the page nor to assistants, who send it on.

const files = {
  'fwk.config.ts': module('defineConfig', "export default defineConfig({ log: { redact: ['iban'] } });"),
  'api/go.get.ts': route(
    'get',
    "(req, res) => res.redirect('/in?next=1&access_token=s3cret#id_token=s3cret')",
  ),
  'api/fail.get.ts': route('get', "() => { throw new Error('it failed'); }"),
  'api/connect.get.ts': route(
    'get',
    `() => { const it = ['s3', 'cret'].join(''); throw new Error(\`cannot reach postgres://shop:\${it}@db/shop, token="\${it}"\`); }`,
  ),
  'api/any.post.ts': route(
    'post',
    "(req, res, ctx) => { ctx.logger.info('asked at /x?token=s3cret with Bearer s3cret0, ' + JSON.stringify({ password: 's3cret' })); return res.type('text/event-stream').send('data: {\"n\":1,\"token\":\"s3cret\"}\\n\\n'); }",
  ),
  'ws/fail.ts': module('ws', "export default ws(({ messages }) => { throw new Error('it failed'); });"),
};

const test = suite('secrets on the dev page');

test('values of secrets are shown nowhere, wherever they stand', () =>
  inspected(files, async ({ server: { url }, get, post, read, newest }) => {
    const without = async (what: string): Promise<void> => {
      const told = JSON.stringify([await newest(), await read('/_fwk/state')]);
      assert.not.match(told, 's3cret', what);
      assert.match(told, 'redacted', what);
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

    const peer = await connectSocket(url, '/ws/fail?token=s3cret');
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
    const { status } = await request(url, '/api/any', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync('{"token":"s3cret"}'),
    });
    assert.ok(status >= 200);
    assert.not.match(JSON.stringify(await newest()), 's3cret');
  }));

test('what is no secret stays as it was', () =>
  inspected(files, async ({ post, newest }) => {
    const given = {
      path: '/a?b=c&d',
      text: 'He said: "yes" and a = \'b\'',
      n: [1, null, true],
      tokenize: 'on',
    };
    await post('/api/any', given);
    assert.equal(JSON.parse(String(await newest('body', 'text'))), given);
  }));

test.run();
