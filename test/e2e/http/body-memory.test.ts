import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, tcp } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { di, middleware, route } from '../../harness/source.js';

const test = suite('body memory');

const files = {
  'api/size.post.ts': route('post', '(req) => ({ size: req.body.length })'),
  'api/form.post.ts': route('post', '(req) => ({ size: req.body.a.length ?? req.body.a.size })'),
  'api/guarded/_middleware.ts': middleware('(req, res, ctx, next) => next()'),
  'api/guarded/size.post.ts': route('post', '(req) => ({ size: req.body.length })'),
  'api/memory.get.ts': `import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
${route(`() => {
     gc();
     const { heapUsed, external } = process.memoryUsage();
     return { used: heapUsed + external };
   }`)}`,
};

const size = 128 * 1024;
const clients = 2;

const served = await production(files);
test.after(() => served.stop());

for (const [path, type, first] of [
  ['/api/size', 'text/plain', ''],
  ['/api/guarded/size', 'text/plain', ''],
  [
    '/api/form',
    'multipart/form-data; boundary=abc',
    '--abc\r\nContent-Disposition: form-data; name="a"\r\n\r\n',
  ],
] as const)
  test(`a body for ${path} in chunks of one byte takes only a few times its size`, async () => {
    const used = async () => ((await served.raw('/api/memory')).json as { used: number }).used;
    const one = Buffer.from('1\r\na\r\n'.repeat(size));
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const begin = async () => {
      const socket = await tcp(served.url);
      socket.write(first === '' ? head : `${head}${first.length.toString(16)}\r\n${first}\r\n`);
      await new Promise((sent) => socket.write(one, sent));
      return socket;
    };
    // The first such body loads the module that reads it.
    const whole = `${first}a${first === '' ? '' : '\r\n--abc--\r\n'}`;
    await served.raw(path, { method: 'POST', body: whole, headers: { 'content-type': type } });
    await used();
    const before = await used();
    const sockets = await Promise.all(Array.from({ length: clients }, begin));
    // The bodies are incomplete, so the received parts are kept.
    let after = await used();
    while (after - before < size * clients * 0.8) after = await used();
    const each = (after - before) / (size * clients);
    for (const socket of sockets) socket.destroy();
    assert.ok(each < 8, `${each.toFixed(1)} bytes for each that was sent`);
  });

test('closes the scope of a request whose client disconnects during the body', async () => {
  const app = await production({
    'di/visit.ts': di(
      'request',
      `(ctx, { onDestroy }) => {
           console.log('visit opened');
           onDestroy(() => console.log('visit closed'));
           return {};
         }`,
    ),
    'middlewares/visit.ts': middleware(`async (req, res, ctx, next) => {
           ctx.visit;
           try { return await next(); } catch (thrown) { console.log('seen', thrown.status); throw thrown; }
         }`),
    'api/size.post.ts': route('post', '(req) => ({ size: req.body.length })'),
    'api/form.post.ts': route('post', '(req) => ({ keys: Object.keys(req.body) })'),
  });
  for (const [path, type] of [
    ['/api/size', 'text/plain'],
    ['/api/form', 'multipart/form-data; boundary=abc'],
  ]) {
    const from = app.output.mark();
    const connection = await connect(app.url);
    connection.send(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: 1000\r\n\r\nonly some`,
    );
    await app.output.waitFor(/visit opened/, from);
    connection.close();
    await app.output.waitFor(/visit closed/, from);
    assert.match(app.output.all.slice(from), /seen 400/);
  }
  await app.stop();
});

test.run();
