import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Connection, connect, tcp } from '../../harness/http.js';
import { nodes } from '../../harness/nodes.js';
import { type Files, project } from '../../harness/project.js';
import { build, MAIN, production, TSCONFIG } from '../../harness/settings.js';
import { module, postRoute, route, wsModule } from '../../harness/source.js';

// Raw requests to the routes of `direct.test.ts`, which cover connections, heads and bodies.

const get = (path: string, headers = '', version = '1.1', method = 'GET'): string =>
  `${method} /api/${path} HTTP/${version}\r\nHost: x\r\n${headers}\r\n`;
const LAST = get('json?q=last', 'Connection: close\r\n');
const post = 'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

const echo = (headers: string, body: string, path = 'echo'): string =>
  `POST /api/${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

/** Bytes sent on one connection; the server answers all requests and closes it. */
const EXCHANGES: Readonly<Record<string, string>> = {
  'one request': LAST,
  'keep-alive': get('json?q=1') + LAST,
  pipelining: get('json?q=1') + get('later') + get('body') + get('json?q=2') + LAST,
  'a slow request first': get('later') + get('later') + LAST,
  HEAD: get('json', '', '1.1', 'HEAD') + get('nowhere', '', '1.1', 'HEAD') + LAST,
  'HTTP/1.0': get('json', '', '1.0'),
  'HTTP/1.0 with keep-alive': get('json', 'Connection: keep-alive\r\n', '1.0') + get('json', '', '1.0'),
  '204 with cookies': `${post}Content-Length: 2\r\n\r\n{}${LAST}`,
  '304': get('not-modified', 'If-None-Match: "1"\r\n') + get('not-modified') + LAST,
  'other statuses without a body': get('reset') + get('moved') + LAST,
  'non-ASCII text': get('unicode') + get('body') + LAST,
  'Connection: close set by the handler': get('close'),
  'connection headers': get('date') + get('raw-header') + get('undated') + get('reason') + LAST,
  'early hints': get('hints') + LAST,
  trailers: get('trailers') + LAST,
  'a corked response': get('corked') + LAST,
  'Expect: 100-continue': `${post}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}${LAST}`,
  'consecutive bodies': echo('Content-Length: 3\r\n', '[1]') + echo('Content-Length: 3\r\n', '[2]') + LAST,
  'a body in chunks': echo(CHUNKED, '1\r\n[\r\n2\r\n1]\r\n0\r\nX-Sum: 1\r\n\r\n') + LAST,
  'a missing body': echo('', '') + echo('Content-Length: 0\r\n', '') + echo(CHUNKED, '0\r\n\r\n') + LAST,
  'a body that is not JSON': echo('Content-Length: 1\r\n', '[') + LAST,
  'a body that is too large':
    echo('Content-Length: 7\r\n', '[1,2,3]', 'small') +
    echo(CHUNKED, '7\r\n[1,2,3]\r\n0\r\n\r\n', 'small') +
    LAST,
  'a body that is malformed': echo(CHUNKED, 'no length\r\n'),
  'a body pipelined behind a slow request': get('later') + echo('Content-Length: 3\r\n', '[1]') + LAST,
  'a GET with a body':
    get('json', 'Content-Length: 2\r\n') +
    '{}' +
    get('raw', 'content-length: 2\r\n') +
    '{}' +
    get('raw', CHUNKED) +
    '1\r\na\r\n0\r\n\r\n' +
    LAST,
  'a raw request without a body': get('raw') + get('pipe', 'Connection: close\r\n'),
  'an unknown expectation': get('json', 'Expect: more\r\n') + LAST,
  'an unknown path': get('nowhere') + get('nowhere', 'Accept: text/html\r\n') + LAST,
  'an unknown method': get('json', '', '1.1', 'DELETE') + LAST,
  'a malformed path': get('%zz') + LAST,
  'an upgrade to an unknown protocol': get('json', 'Connection: upgrade\r\nUpgrade: other\r\n'),
  'an upgrade': `GET /echo HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x88\x80abcd`,
  maxRequestsPerSocket: get('limited?max=3') + get('json') + get('json') + LAST,
  'a keep-alive timeout of 0':
    get('limited?max=0') + get('unkept?ms=0') + get('json') + get('unkept?ms=7000') + LAST,
  backpressure: get('big') + get('big') + get('big') + get('json') + LAST,
};

// One project, built with the direct writer and without it. Clients see no difference.

const files = (direct: boolean): Files => ({
  'tsconfig.json': TSCONFIG,
  'fwk.config.ts': `import { defineConfig } from 'fwkit';\nexport default defineConfig({
  // Clients with idle connections learn of the shutdown within this time.
  http: { direct: ${direct}, keepAliveTimeout: 2_000 },
  log: { level: 'debug', format: 'text' },
});\n`,
  'main.ts': MAIN,
  'api/json.get.ts': route('get', `(req) => ({ q: req.query.q })`),
  'api/unicode.get.ts': route(
    `(req, res) => { res.header('X-Word', 'caf\\u00e9'); return 'd\\u00e9j\\u00e0 \\u{1f600}'; }`,
  ),
  'api/body.get.ts': route('get', `() => 'd\\u00e9j\\u00e0 \\u{1f600}'`),
  'api/big.get.ts': route('get', `() => 'x'.repeat(4_000_000)`),
  'api/login.post.ts': route('post', `(req, res) => { res.cookie('a', '1').cookie('b', '2'); }`),
  'api/not-modified.get.ts': route('get', `(req, res) => { res.header('ETag', '"1"'); return 'body'; }`),
  'api/reset.get.ts': route('get', `(req, res) => { res.status(205); res.end(); }`),
  'api/moved.get.ts': route('get', `(req, res) => res.redirect('/elsewhere')`),
  'api/close.get.ts': route('get', `(req, res) => { res.header('Connection', 'close'); return 1; }`),
  'api/date.get.ts': route(
    `(req, res) => { res.header('Date', 'Thu, 01 Jan 1970 00:00:00 GMT'); return 1; }`,
  ),
  'api/hints.get.ts': route(
    `(req, res) => { res.raw.writeEarlyHints({ link: '</a>; rel=preload' }); return 1; }`,
  ),
  'api/raw-header.get.ts': route('get', `(req, res) => { res.raw.setHeader('X-Raw', '1'); return 1; }`),
  'api/reason.get.ts': route('get', `(req, res) => { res.raw.statusMessage = 'Fine'; return 1; }`),
  'api/undated.get.ts': route('get', `(req, res) => { res.raw.sendDate = false; return 1; }`),
  'api/trailers.get.ts': route(
    `(req, res) => { res.header('Trailer', 'X-Sum'); res.raw.addTrailers({ 'X-Sum': '1' }); return res.stream((async function* () { yield 'a'; })()); }`,
  ),
  'api/echo.post.ts': postRoute(`({ body, raw }) => ({ body, trailers: raw.trailers, type: typeof body })`),
  'api/small.post.ts': module('post', 'export default post(({ body }) => body).meta({ bodyLimit: 5 });'),
  'api/past.post.ts': route('post', `({ raw }) => Object.hasOwn(raw, 'push')`),
  'api/raw.get.ts': route(`async ({ raw }) => {
       const pieces: string[] = [];
       for await (const piece of raw) pieces.push(String(piece));
       return { pieces };
     }`),
  'api/pipe.get.ts': route('get', `({ raw }, res) => void raw.pipe(res.raw)`),
  'api/corked.get.ts': route('get', `(req, res) => { res.raw.cork(); res.json(1); }`),
  'api/later.get.ts': route('get', `async () => { await new Promise(setImmediate); return 'later'; }`),
  'api/limited.get.ts': route(
    `(req, res) => { Reflect.get(req.raw.socket, 'server').maxRequestsPerSocket = Number(req.query.max); return 1; }`,
  ),
  'api/unkept.get.ts': route(
    `(req, res) => { Reflect.get(req.raw.socket, 'server').keepAliveTimeout = Number(req.query.ms); return 1; }`,
  ),
  'api/events.get.ts': route(`(req, res) => {
       const told: unknown[] = [];
       const tell = (name) => () => {
         const { headersSent, writableEnded, writableFinished, statusCode, statusMessage } = res.raw;
         told.push([name, headersSent, writableEnded, writableFinished, statusCode, statusMessage]);
         if (name === 'close') console.log('[told]', JSON.stringify(told));
       };
       for (const name of ['prefinish', 'finish', 'close']) res.raw.once(name, tell(name));
       res.json(1);
       tell('sent')();
     }`),
  'api/aborted.get.ts': route(`(req, res) => {
       const told: unknown[] = [];
       for (const name of ['finish', 'close'])
         res.raw.once(name, () => { told.push(name); if (name === 'close') console.log('[aborted]', told.join()); });
       return new Promise((resolve) => {
         if (req.query.when === 'after') resolve('x'.repeat(50_000_000));
         else req.raw.socket.once('close', () => resolve(1));
         console.log('[waiting]', req.query.when);
       });
     }`),
  'ws/echo.ts': wsModule('() => {}'),
});

const undated = (text: string): string => text.replace(/^Date: .* GMT\r\n/gm, 'Date\r\n');

const ways = [true, false].map((direct) => project(files(direct)));
for (const way of ways) await build(way);

for (const [name, node] of nodes()) {
  const test = suite(name);
  let served: Awaited<ReturnType<typeof production>>[] = [];

  test.before(async () => {
    served = await Promise.all(ways.map((built) => production(built, 'dist/main.js', node)));
  });
  test.after(async () => {
    for (const { child } of served) child.kill('SIGTERM');
    await Promise.all(served.map(({ end }) => end));
  });

  const both = <Result>(ask: (one: (typeof served)[number]) => Promise<Result>): Promise<Result[]> =>
    Promise.all(served.map(ask));

  for (const [what, selfTest] of [
    ['writer', 'writingSelfTest'],
    ['reader', 'readingSelfTest'],
  ])
    test(`this Node passes the self-test of the ${what}`, () => {
      const from = new URL(`../../../plugins/http/io/direct-${what}.js`, import.meta.url).href;
      const script = `const { ${selfTest} } = await import('${from}'); process.exitCode = (await ${selfTest}.run()) ? 0 : 1;`;
      assert.is(spawnSync(node, ['--input-type=module', '-e', script]).status, 0);
    });

  test('http.direct decides whether bodies bypass the stream', async () => {
    const [direct, plain] = served;
    const isPast = async (url = '') => (await fetch(`${url}/api/past`, { method: 'POST', body: '1' })).json();
    // The self-test begins with the second request.
    for (let tries = 0; tries < 100 && !(await isPast(direct?.url)); tries++);
    assert.is(await isPast(direct?.url), true);
    assert.is(await isPast(plain?.url), false);
  });

  test('a process without direct streams logs the reason', () => {
    const [direct, plain] = served.map(({ output }) => /http\.direct is off.*/.exec(output.all)?.[0]);
    assert.is(direct, undefined);
    assert.is(plain, 'http.direct is off: request bodies and responses use Node streams.');
  });

  for (const [what, sent] of Object.entries(EXCHANGES))
    test(what, async () => {
      const [direct, plain] = await both(async ({ url }) => {
        const connection: Connection = await connect(url);
        connection.send(Buffer.from(sent, 'latin1'));
        return undated(await connection.rest());
      });
      assert.match(plain ?? '', /^HTTP\/1\.1 /);
      assert.ok(direct === plain, `direct:\n${direct?.slice(0, 2000)}\nplain:\n${plain?.slice(0, 2000)}`);
    });

  test('a body that follows its head later, and one that never follows', async () => {
    const [direct, plain] = await both(async ({ url, output }) => {
      const head = echo('Content-Length: 3\r\nExpect: 100-continue\r\n', '');
      const [first, second] = [await connect(url), await connect(url)];
      for (const connection of [first, second]) {
        connection.send(head);
        await connection.read(/100 Continue\r\n\r\n/);
      }
      second.send('[');
      second.close();
      first.send('[1]');
      const answered = undated(await first.read(/\]/));
      first.close();
      assert.is((await fetch(`${url}/api/json`)).status, 200);
      return answered + output.stderr;
    });
    assert.is(direct, plain);
  });

  test('response events and properties are the same', async () => {
    const [direct, plain] = await both(async ({ url, output }) => {
      await (await fetch(`${url}/api/events`)).text();
      return (await output.waitFor(/\[told\] (.*)/))[1];
    });
    assert.is(direct, plain);
  });

  for (const when of ['before', 'after'])
    test(`a client disconnects ${when} the response`, async () => {
      const [direct, plain] = await both(async ({ url, output }) => {
        const socket = (await tcp(url)).pause();
        socket.write(get(`aborted?when=${when}`));
        await output.waitFor(new RegExp(`\\[waiting\\] ${when}`));
        socket.destroy();
        const [, told] = await output.waitFor(new RegExp(`\\[waiting\\] ${when}[^]*\\[aborted\\] (.*)`));
        assert.is((await fetch(`${url}/api/json`)).status, 200);
        return told;
      });
      assert.is(direct, plain);
    });

  test.run();
}
