import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { nodes } from '../../harness/nodes.js';
import { project } from '../../harness/project.js';
import { build, MAIN, production, TSCONFIG } from '../../harness/settings.js';
import { route, wsModule } from '../../harness/source.js';

// A client may offer an upgrade that the server does not support, as Java's HttpClient does with each first request:
// the offer is ignored (RFC 9110 §7.8).

const OFFER =
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk\r\n';
const head = (method: string, path: string, more: string) =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
const BODY = '{"a":"ä"}';
const LENGTH = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(BODY)}\r\n`;
const CHUNKED = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';

const files = {
  'tsconfig.json': TSCONFIG,
  'main.ts': MAIN,
  'api/echo.ts': route('post', '(req) => ({ got: req.body })'),
  'api/headers.ts': route('get', '(req) => ({ twice: req.header("x-twice"), q: req.query.q })'),
  'api/plain.ts': route('get', '() => "plain"'),
  'api/hidden.ts': route('get', '() => console.log("[hidden]")'),
};
const projects = {
  'with sockets': project({
    ...files,
    'ws/echo.ts': wsModule('({ send }) => send("hello")'),
  }),
  'without sockets': project(files),
};
for (const made of Object.values(projects)) await build(made);

const cases = [...nodes()].flatMap(([name, node]) =>
  Object.entries(projects).map(([what, made]) => [`${name} ${what}`, node, made] as const),
);
for (const [name, node, made] of cases) {
  const test = suite(name);
  let server: Awaited<ReturnType<typeof production>>;
  test.before(async () => {
    server = await production(made, 'dist/main.js', node);
  });
  test.after(async () => {
    await server.stop();
  });

  test('an upgrade request can have a body, immediate, late or chunked, and the connection continues', async () => {
    const connection = await connect(server.url);
    const answer = () => connection.read(/\}\}$/);
    const got = /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"got":\{"a":"\xc3\xa4"\}\}$/;
    connection.send(head('POST', '/api/echo', OFFER + LENGTH) + BODY);
    assert.match(await answer(), got);
    connection.send(head('POST', '/api/echo', OFFER + LENGTH));
    connection.send(BODY);
    assert.match(await answer(), got);
    connection.send(head('POST', '/api/echo', OFFER + CHUNKED));
    connection.send(`3\r\n{"a\r\n7\r\n${BODY.slice(3)}\r\n0\r\n\r\n`);
    assert.match(await answer(), got);
    connection.send(head('GET', '/api/plain', OFFER));
    assert.match(await connection.read(/"plain"$/), /^HTTP\/1\.1 200 OK\r\n/);
    connection.close();
  });

  test('answers pipelined requests in order', async () => {
    const connection = await connect(server.url);
    const close = head('GET', '/api/plain', 'Connection: close\r\n');
    connection.send(
      `${head('POST', '/api/echo', OFFER + LENGTH)}${BODY}${head('GET', '/api/headers?q=2', OFFER)}${close}`,
    );
    assert.match(await connection.rest(), /"got"[\s\S]*"q":"2"[\s\S]*"plain"$/);
  });

  test('a connection can offer an upgrade with every request', async () => {
    const connection = await connect(server.url);
    for (let times = 0; times < 20; times += 1) {
      connection.send(head('POST', '/api/echo', OFFER + LENGTH) + BODY);
      assert.match(await connection.read(/\}\}$/), /^HTTP\/1\.1 200 OK\r\n/);
    }
    connection.close();
    assert.is(server.output.stderr, '');
  });

  test('the body of an upgrade request is not parsed as a request', async () => {
    const connection = await connect(server.url);
    const hidden = head('GET', '/api/hidden', '');
    const behind = `Content-Type: text/plain\r\nContent-Length: ${hidden.length}\r\nConnection: close\r\n`;
    connection.send(`${head('GET', '/api/plain', OFFER)}${head('POST', '/api/echo', behind)}`);
    await connection.read(/"plain"$/);
    connection.send(hidden);
    assert.match(await connection.rest(), /"got":"GET \/api\/hidden/);
    assert.not.match(server.output.stdout, '[hidden]');
  });

  test('keeps the headers of an upgrade request', async () => {
    const connection = await connect(server.url);
    connection.send(
      Buffer.from(head('GET', '/api/headers?q=%c3%a4', `${OFFER}X-Twice: \xe9\r\nx-twice: 2\r\n`), 'latin1'),
    );
    assert.match(await connection.read(/\}$/), '{"twice":"\xc3\xa9, 2","q":"\xc3\xa4"}');
    connection.close();
  });

  test('a body that never arrives does not delay the shutdown', async () => {
    const connection = await connect(server.url);
    connection.send(head('POST', '/api/echo', OFFER + LENGTH));
    connection.close();
    assert.is((await fetch(`${server.url}/api/plain`)).status, 200);
  });

  test.run();
}
