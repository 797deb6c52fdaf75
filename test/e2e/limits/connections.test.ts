import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Connection, connect } from '../../harness/http.js';
import { nodes } from '../../harness/nodes.js';
import { project } from '../../harness/project.js';
import { MAIN, production } from '../../harness/settings.js';
import { configFile, route } from '../../harness/source.js';

const HEAD_BYTES = 2_048;
const limits = {
  headersTimeout: 300,
  requestTimeout: 600,
  keepAliveTimeout: 1_000,
  maxHeaderSize: HEAD_BYTES,
  maxConnections: 8,
  maxRequestsPerConnection: 3,
};

const made = project(
  {
    'main.ts': MAIN,
    'fwk.config.ts': configFile(`{ http: ${JSON.stringify(limits)} }`),
    'api/echo.ts': route('post', '({ body }) => body'),
    // Longer than every time-out: they are over when the request has come.
    'api/slow.post.ts': route('post', '() => new Promise((resolve) => setTimeout(resolve, 1_700, "slow"))'),
  },
  'js',
);

const FIRST_LINES = 'POST /api/echo HTTP/1.1\r\nHost: a\r\n';
const echo = (body: string, more = '', length = body.length): string =>
  `${FIRST_LINES}${more}Content-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n${body}`;

for (const [name, node] of nodes()) {
  const test = suite<Record<string, never>>(name, {});
  let server: Awaited<ReturnType<typeof production>>;
  const opened: Connection[] = [];
  const open = async (): Promise<Connection> => {
    const connection = await connect(server.url);
    opened.push(connection);
    return connection;
  };

  test.before(async () => {
    server = await production(made, 'main.js', node);
  });
  test.after.each(async () => {
    for (const connection of opened.splice(0)) connection.close();
  });
  test.after(async () => void (await server.stop()));

  test('headersTimeout, requestTimeout, keepAliveTimeout', async () => {
    const [silent, halfHead, halfBody, whole, slow, kept] = await Promise.all(
      Array.from({ length: 6 }, open),
    );
    const began = performance.now();
    const passed = () => performance.now() - began;
    halfHead?.send(FIRST_LINES);
    halfBody?.send(echo('half', '', 8));
    whole?.send(echo('who', '', 5));
    slow?.send(echo('slow').replace('echo', 'slow'));
    kept?.send(echo('kept'));
    assert.match((await kept?.read(/kept"$/)) ?? '', /^Keep-Alive: timeout=1(, max=3)?\r$/m);
    whole?.send('le');
    assert.match((await whole?.read(/whole"$/)) ?? '', /^HTTP\/1\.1 200 /);
    await Promise.all([
      kept?.rest().then((rest) => {
        assert.is(rest, '', 'a connection that is kept ends without a word');
        assert.ok(passed() >= 990, `${passed()}`);
      }),
      halfHead?.rest().then((answer) => {
        assert.match(answer, /^HTTP\/1\.1 408 /);
        assert.ok(passed() >= 290, `${passed()}`);
      }),
      silent?.rest().then((answer) => assert.match(answer, /^(HTTP\/1\.1 408 |$)/)),
      halfBody?.rest().then((answer) => {
        assert.match(answer, /^HTTP\/1\.1 408 /);
        assert.ok(passed() >= 590, `${passed()}`);
      }),
      slow?.read(/"slow"$/).then((answer) => assert.match(answer, /^HTTP\/1\.1 200 /)),
    ]);
  });

  test('maxHeaderSize', async () => {
    // Node counts the target, and the names and values of headers.
    const others = '/api/echoHostaXContent-Typetext/plainContent-Length1'.length;
    const send = async (bytes: number) => {
      const connection = await open();
      connection.send(echo('1', `X: ${'x'.repeat(bytes - others)}\r\n`));
      return connection.read(/\r\n\r\n/);
    };
    assert.match(await send(HEAD_BYTES - 1), /^HTTP\/1\.1 200 /);
    assert.match(await send(HEAD_BYTES), /^HTTP\/1\.1 431 /);
  });

  test('maxRequestsPerConnection', async () => {
    const connection = await open();
    for (const said of ['keep-alive', 'keep-alive', 'close']) {
      connection.send(echo('mine'));
      assert.match(await connection.read(/mine"$/), new RegExp(`^Connection: ${said}\r$`, 'm'));
    }
    assert.is(await connection.rest(), '');
  });

  test('maxConnections: closes excess connections and reports it once', async () => {
    const eight = await Promise.all(Array.from({ length: limits.maxConnections }, open));
    for (const connection of eight) connection.send(echo('under'));
    for (const connection of eight) assert.match(await connection.read(/under"$/), /^HTTP\/1\.1 200 /);
    for (const ninth of [await open(), await open()]) {
      ninth.send(echo('over'));
      assert.is(await ninth.rest(), '');
    }
    for (const connection of eight) connection.close();
    const text = () => server.output.all;
    assert.is(text().match(/More than 8 connections \(http\.maxConnections\)/g)?.length, 1, text());
    // The server learns of it a turn later.
    let answer = '';
    while (!answer.startsWith('HTTP/1.1 200')) {
      const next = await open();
      next.send(echo('again'));
      answer = await next.read(/again"$/);
    }
  });

  test.run();
}
