import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { production } from '../../harness/production.js';
import { connectSocket } from '../../harness/socket.js';
import { configFile, module, route } from '../../harness/source.js';

const limits = { maxJsonDepth: 60, maxQueryKeys: 3, maxFields: 3 };

const test = suite<Record<string, never>>('contents', {});

const server = await production({
  'fwk.config.ts': configFile(`{ http: ${JSON.stringify(limits)} }`),
  'api/echo.post.ts': route('post', '({ body }) => JSON.stringify(body).length'),
  'api/query.ts': route('get', '({ query }) => query'),
  'api/unread.ts': route('get', '() => 1'),
  'ws/json.ts': route(
    'ws',
    '({ onJson, send }) => onJson((value) => void send(JSON.stringify(value).length))',
  ),
  'mcp/tools/echo.ts': `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'Echo', handler: () => 'echo' });\n`,
  // A schema that reads nested values by calling itself.
  'api/checked.post.ts': module(
    'post',
    `const check = (value) => Array.isArray(value) && value.forEach(check);
     const body = { '~standard': { version: 1, vendor: 'test', validate: (value) => (check(value), { value }) } };
     const query = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
     export default post({ body, query }, ({ query }) => query);`,
  ),
});
test.after(() => server.stop());

const post = (body: string | Buffer, type: string, path = '/api/echo', more = {}) =>
  server.raw(path, { method: 'POST', body, headers: { 'content-type': type, ...more } });
const json = (body: string, path?: string) => post(body, 'application/json', path);
const messageOf = (answer: { readonly json: unknown }) => (answer.json as { message: string }).message;
const nested = (levels: number, inner = '') => '['.repeat(levels) + inner + ']'.repeat(levels);

test('maxJsonDepth', async () => {
  const max = limits.maxJsonDepth;
  const message = `The body is nested deeper than ${max} levels`;
  const mixed = (levels: number) => `${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`;
  for (const body of [
    nested(max),
    nested(max - 1),
    mixed(max),
    // Brackets side by side, and in texts, are no levels.
    `[${'[],'.repeat(500)}{}]`,
    nested(max, '"[[[{{{\\"[[[\\\\"'),
    JSON.stringify('['.repeat(500)),
  ])
    assert.is((await json(body)).status, 200, body);
  for (const body of [
    nested(max + 1),
    mixed(max + 2),
    `["\\\\",${nested(max)}]`,
    `{"a":"[[[[\\"","b":${nested(max)}}`,
    nested(200_000),
    '['.repeat(200_000),
  ]) {
    const answer = await json(body);
    assert.is(answer.status, 400, body.slice(0, 100));
    assert.is(messageOf(answer), message);
    assert.is((await json(body, '/api/checked')).status, 400);
  }
  const packed = gzipSync(nested(max + 1));
  assert.is((await post(packed, 'application/json', undefined, { 'content-encoding': 'gzip' })).status, 400);
  assert.is((await post(nested(max + 1), 'application/hal+json; charset=utf-8')).status, 400);
});

test('maxJsonDepth applies to messages of sockets and of MCP', async () => {
  const max = limits.maxJsonDepth;
  const socket = await connectSocket(server.url, '/ws/json');
  assert.is(await socket.send(nested(max)).next(), '120');
  assert.equal(await socket.send(nested(max + 1)).closed, [
    1007,
    `The message is nested deeper than the limit of ${max} levels`,
  ]);
  const call = (levels: number) =>
    json(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${nested(levels)}}}`, '/mcp');
  assert.is.not(messageOf(await call(max - 2)), 'The body is nested deeper than the limit of 60 levels');
  const { status, text } = await call(max - 1);
  assert.is(status, 400);
  assert.match(text, 'The body is nested deeper than the limit of 60 levels');
});

test('maxQueryKeys applies when the query is read', async () => {
  for (const query of ['', '?', '?a=1', '?a=1&b=2&c=3', '?a=%20&b=+&c=']) {
    const { status, text } = await server.raw(`/api/query${query}`);
    assert.is(status, 200, text);
  }
  for (const query of ['?a=1&b=2&c=3&d=4', '?a&a&a&a', '?a=%20&b=+&c=&d', `?${'k=1&'.repeat(3_000)}`]) {
    const answer = await server.raw(`/api/query${query}`);
    assert.is(answer.status, 400, query);
    assert.is(messageOf(answer), 'The query string has more than 3 keys');
    assert.is((await json('[]', `/api/checked${query}`)).status, 400);
    assert.is((await server.raw(`/api/unread${query}`)).status, 200);
  }
});

test('maxFields applies to urlencoded and multipart forms', async () => {
  const urlencoded = (count: number) => Array.from({ length: count }, (_, key) => `k${key}=%20`).join('&');
  const multipart = (count: number) => {
    const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nvalue\r\n';
    const file = part.replace('"a"', '"f"; filename="f"');
    return `${part.repeat(count)}${file}--x--\r\n`;
  };
  for (const [body, type] of [
    [urlencoded, 'application/x-www-form-urlencoded'],
    [multipart, 'multipart/form-data; boundary=x'],
  ] as const) {
    for (const count of [2, 3]) assert.is((await post(body(count), type)).status, 200, `${count} ${type}`);
    const over = await post(body(4), type);
    assert.is(over.status, 413, type);
    assert.is(messageOf(over), 'The form has more than 3 fields');
  }
});

test.run();
