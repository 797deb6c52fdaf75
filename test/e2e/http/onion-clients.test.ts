import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import type { Files } from '../../harness/project.js';
import { middleware, module, route } from '../../harness/source.js';

const echo = route('post', '(req) => ({ body: req.body ?? null })');

const files: Files = {
  'di/scope.ts': module(
    'di',
    `export default di({
  lifetime: 'request',
  value: (ctx, { onDestroy }) => { onDestroy(() => console.log('scope closed')); return {}; },
});`,
  ),
  'api/slow/_middleware.ts': middleware(
    `async (req, res, ctx, next) => {
      ctx.scope;
      console.log('waits');
      await new Promise((resolve) => res.raw.once('close', resolve));
      try { return await next(); } catch (thrown) { console.log('threw', thrown.status); throw thrown; }
    }`,
  ),
  'api/slow/echo.ts': echo,
  'api/refused/_middleware.ts': middleware(`() => { throw error(401, 'who are you'); }`, 'error, middleware'),
  'api/refused/echo.ts': echo,
  'api/taken/_middleware.ts': middleware(
    `async (req, res, ctx, next) => {
      for await (const chunk of req.raw) res.header('x-took', String(chunk.length));
      return next();
    }`,
  ),
  'api/taken/echo.ts': echo,
  'api/echo.ts': echo,
};

const test = suite('onion, clients');
const served = await production(files);
test.after(() => served.stop());

const post = (path: string, length: number, headers = '', version = '1.1'): string =>
  `POST /api/${path} HTTP/${version}\r\nHost: x\r\n${headers}Content-Length: ${length}\r\n\r\n`;

test('a client that disconnects while a middleware waits ends the request and its scope', async () => {
  for (const sent of ['', '12345', '1234567890']) {
    const from = served.output.mark();
    const connection = await connect(served.url);
    connection.send(post('slow/echo', 10) + sent);
    await served.output.waitFor(/waits/, from);
    connection.close();
    await served.output.waitFor(/threw 400[\s\S]*scope closed/, from);
    assert.is(served.output.all.slice(from).includes('failed'), false);
  }
});

test('a client that sends everything before it reads gets its response, and the connection closes', async () => {
  const size = 20_000_000;
  for (const [path, status] of [
    ['refused/echo', 401],
    ['echo', 413],
    ['nowhere', 404],
  ] as const)
    for (const [headers, version] of [
      ['Connection: close\r\n', '1.1'],
      ['', '1.0'],
    ] as const) {
      const connection = await connect(served.url);
      connection.pause();
      connection.send(post(path, size, headers, version));
      await connection.sent(Buffer.alloc(size));
      connection.resume();
      assert.match(await connection.rest(), new RegExp(`^HTTP/1.1 ${status} `), path);
    }
});

test('a client with Expect: 100-continue and an empty body keeps the connection', async () => {
  const connection = await connect(served.url);
  connection.send(post('echo', 0, 'Expect: 100-continue\r\n'));
  assert.match(await connection.read(/\{"body":null\}/), /Connection: keep-alive/);
  connection.close();
});

test('a body that a middleware read from the raw request is an error', async () => {
  const from = served.output.mark();
  const { status } = await served.raw('/api/taken/echo', { method: 'POST', body: 'abc' });
  assert.is(status, 500);
  await served.output.waitFor(/the request body has already been read.*await req\.readBody\(\)/, from);
});

test.run();
