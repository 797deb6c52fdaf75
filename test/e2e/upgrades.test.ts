import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../harness/http.js';
import { nodes } from '../harness/nodes.js';
import { project } from '../harness/project.js';
import { build, MAIN, production, TSCONFIG } from '../harness/settings.js';
import { module, route } from '../harness/source.js';

// A client may offer an upgrade that nobody here speaks, as Java's HttpClient does with each first request: it is ignored
// (RFC 9110 §7.8), and the request is one as any other.

const OFFER =
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk\r\n';
const head = (method: string, path: string, more: string) =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
const BODY = '{"a":"ä"}';
const LENGTH = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(BODY)}\r\n`;
const CHUNKED = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';

const made = project({
  'tsconfig.json': TSCONFIG,
  'main.ts': MAIN,
  'ws/echo.ts': module('ws', 'export default ws(({ send }) => send("hello"));'),
  'api/echo.ts': route('post', '(req) => ({ got: req.body })'),
  'api/headers.ts': route('get', '(req) => ({ twice: req.header("x-twice"), q: req.query.q })'),
  'api/plain.ts': route('get', '() => "plain"'),
});
await build(made);

for (const [name, node] of nodes()) {
  const test = suite(name);
  let server: Awaited<ReturnType<typeof production>>;
  test.before(async () => {
    server = await production(made, 'dist/main.js', node);
  });
  test.after(async () => {
    server.child.kill('SIGTERM');
    assert.is((await server.end).status, 0);
  });

  test('a body comes in, at once, later or in chunks, and the connection goes on', async () => {
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

  test('headers come in as they were', async () => {
    const connection = await connect(server.url);
    connection.send(
      Buffer.from(head('GET', '/api/headers?q=%c3%a4', `${OFFER}X-Twice: \xe9\r\nx-twice: 2\r\n`), 'latin1'),
    );
    assert.match(await connection.read(/\}$/), '{"twice":"\xc3\xa9, 2","q":"\xc3\xa4"}');
    connection.close();
  });

  test('a body that never comes holds nothing up', async () => {
    const connection = await connect(server.url);
    connection.send(head('POST', '/api/echo', OFFER + LENGTH));
    connection.close();
    assert.is((await fetch(`${server.url}/api/plain`)).status, 200);
  });

  test.run();
}
