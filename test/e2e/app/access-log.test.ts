import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Connection, connect } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { service } from '../../harness/source.js';
import { run } from '../../harness/workers.js';
import { files, SKIP } from './access-log-project.js';

type Line = Readonly<Record<string, unknown>>;

const test = suite<Record<string, never>>('access log', {});
const app = await production(files);
test.after(async () => void (await app?.stop()));

let count = 0;
/** The lines of requests with this id, once there are so many. */
async function linesOf(id: string, many = 1): Promise<Line[]> {
  await app.output.waitFor(new RegExp(`(?:"requestId":"${id}".*"status"[^]*){${many}}\n`));
  const lines = app.output.stdout.split('\n').filter((line) => line.includes(`"requestId":"${id}"`));
  return lines.map((line) => JSON.parse(line)).filter(({ status }) => status !== undefined);
}

/** Sends a raw request; returns its log line with the response. */
async function ask(start: string, headers = '', body = '', url = app.url) {
  const id = `ask-${++count}`;
  const connection = await connect(url);
  const [method, path, version = 'HTTP/1.1'] = start.split(' ');
  connection.send(
    `${method} ${path} ${version}\r\nHost: a\r\nConnection: close\r\nX-Request-Id: ${id}\r\n${headers}\r\n`,
  );
  connection.send(body);
  const came = (await connection.rest()).replace('HTTP/1.1 100 Continue\r\n\r\n', '');
  const [line = {}] = await linesOf(id);
  return { line, came, sent: came.length - came.indexOf('\r\n\r\n') - 4 };
}

test('counts the bytes of each body as they were sent', async () => {
  const { url } = app;
  const around = (await app.output.waitFor(/^around (\S+)$/m))[1] ?? '';
  const asked: [start: string, headers?: string, body?: string, url?: string][] = [
    ['GET /api/text'],
    ['GET /api/text HTTP/1.0'],
    ['GET /api/text', 'Accept-Encoding: gzip\r\n'],
    ['HEAD /api/text'],
    ['GET /api/bytes'],
    ['GET /api/empty'],
    ['GET /api/fails'],
    ['GET /api/by-hand'],
    ['GET /api/lasts'],
    ['GET /api/bytes', 'Accept-Encoding: br\r\n'],
    ['GET /a.txt'],
    ['GET /a.txt', 'Range: bytes=2-3\r\n'],
    ['GET /nowhere', 'Accept: text/html\r\n'],
    ['POST /api/text', 'Content-Length: 0\r\n'],
    ['POST /api/echo', 'Content-Type: text/plain\r\nContent-Length: 4\r\nExpect: 100-continue\r\n', 'four'],
    ['GET /shop/api/lasts', '', '', around],
    ['GET /shop/a.txt', '', '', around],
  ];
  for (const [start, headers = '', body = '', at = url] of asked) {
    const { line, sent, came } = await ask(start, headers, body, at);
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(came)?.[1]);
    const [method, path] = start.split(' ');
    assert.equal(
      [line.method, line.path, line.status, line.bytes, line.httpVersion, line.aborted],
      [method, path, status, sent, start.endsWith('/1.0') ? '1.0' : undefined, undefined],
      `${start} ${headers}`,
    );
    if (path?.endsWith('lasts')) assert.ok(Number(line.duration) >= 59, `${line.duration} ms`);
  }
});

test('logs one line for each request of a connection, also when pipelined', async () => {
  const get = (path: string, id: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n${more}\r\n`;
  const connection = await connect(app.url);
  connection.send(get('/api/text', 'kept-1'));
  await connection.read(/er"?$/);
  const sent = [
    get('/api/text', 'kept-2'),
    get('/api/lasts', 'kept-3'),
    get('/api/bytes', 'kept-4'),
    get('/api/by-hand', 'kept-5'),
    get('/a.txt', 'kept-6', 'Connection: close\r\n'),
  ];
  connection.send(sent.join(''));
  await connection.rest();
  const told = await Promise.all(['1', '2', '3', '4', '5', '6'].map((one) => linesOf(`kept-${one}`)));
  // Chunked: the sizes `300` and `1` in hexadecimal, four line ends each, then the last chunk.
  const chunked = 3 + 300 + 4 + 1 + 1 + 4 + 5;
  assert.equal(
    told.map(([line]) => [line?.path, line?.status, line?.bytes, line?.ip]),
    [
      ['/api/text', 200, 10, '127.0.0.1'],
      ['/api/text', 200, 10, '127.0.0.1'],
      ['/api/lasts', 200, chunked, '127.0.0.1'],
      ['/api/bytes', 200, 70_000, '127.0.0.1'],
      ['/api/by-hand', 200, 3 + 5 + 3 + 5 + 5, '127.0.0.1'],
      ['/a.txt', 200, 6, '127.0.0.1'],
    ],
  );
});

test('logs an aborted request with the client address and the bytes sent', async () => {
  const leave = async (start: string, headers: string, until: (at: Connection) => Promise<unknown>) => {
    const id = `gone-${++count}`;
    const connection = await connect(app.url);
    connection.send(`${start} HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n${headers}\r\n`);
    await until(connection);
    connection.close();
    const [line] = await linesOf(id);
    return [line?.path, line?.route, line?.status, line?.bytes, line?.aborted, line?.ip];
  };
  const waits = () => app.output.waitFor(/"waits"/);
  assert.equal(await leave('GET /api/waits', '', waits), [
    ...['/api/waits', 'GET /api/waits', 499, 0, true, '127.0.0.1'],
  ]);
  assert.equal(await leave('GET /api/hangs', '', (at) => at.read(/begun/)), [
    ...['/api/hangs', 'GET /api/hangs', 200, 10, true, '127.0.0.1'],
  ]);
  const half = (at: Connection) => at.sent(Buffer.from('ab'));
  const announced = 'Content-Type: text/plain\r\nContent-Length: 9\r\n';
  assert.equal(await leave('POST /api/echo', announced, half), [
    ...['/api/echo', 'POST /api/echo', 499, 0, true, '127.0.0.1'],
  ]);
  assert.not.match(app.output.all, 'HPE_INVALID_EOF_STATE');
});

test('escapes client data within its field and omits secrets', async () => {
  const from = app.output.mark();
  const agent = 'evil\t"},{"level":"fatal\x9b31m\u00ff\\';
  const { line } = await ask(
    'GET /api/text?q=%0a"}&token=hush',
    `User-Agent: ${agent}\r\nReferer: https://a.example/from?api_key=hush&page=2\r\nAuthorization: Basic aHVzaDpodXNo\r\n` +
      `Cookie: session=hush\r\nX-Forwarded-For: 10.0.0.1, "\x85}10.9.8.7\r\nUser-Agent: second\r\n`,
  );
  assert.equal(
    [line.path, line.userAgent, line.referrer, line.ip, line.user],
    [
      '/api/text?q=%0a"}&token=[redacted]',
      Buffer.from(agent).toString('latin1'),
      'https://a.example/from?api_key=[redacted]&page=2',
      // Text that is no address is ignored.
      '127.0.0.1',
      'tj',
    ],
  );
  const around = (await app.output.waitFor(/^around (\S+)$/m))[1] ?? '';
  const mounted = await ask('GET /shop/api/text?a=1', 'X-Forwarded-For: 10.9.8.7\r\n', '', around);
  assert.equal([mounted.line.path, mounted.line.ip], ['/shop/api/text?a=1', '10.9.8.7']);
  const broken = await connect(app.url);
  broken.send('GET /api/text HTTP/1.1\r\nHost: a\r\nUser-Agent: \x1b[31m\r\n\r\n');
  assert.match(await broken.rest(), /^HTTP\/1\.1 400 /);
  await app.output.waitFor(/HPE_INVALID_HEADER_TOKEN/, from);
  const written = app.output.all.slice(from);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
  assert.not.match(written, /hush|aHVz|[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  for (const one of written.trim().split('\n')) assert.is(typeof JSON.parse(one).level, 'string');
});

test('omits the requests that log.skip matches, and logs them if skip throws', async () => {
  const from = app.output.mark();
  for (const path of ['/api/text?skip=yes', '/api/gone', '/a.txt?skip=yes']) await app.raw(path);
  await app.raw('/api/text?skip=rejects');
  assert.is((await ask('GET /api/text?skip=throws')).line.status, 200);
  const written = app.output.all.slice(from);
  const lines: Line[] = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(
    lines.flatMap(({ path }) => path ?? []),
    ['/api/text?skip=rejects', '/api/text?skip=throws'],
  );
  const failed = lines.filter(({ level }) => level === 'error');
  assert.equal(
    failed.map(({ msg, err }) => [msg, (err as Line).message]),
    ['cannot tell either', 'cannot tell'].map((why) => ['log.access.skip failed', why]),
  );
});

test('applies log.skip in workers, and warns about options that a custom logger ignores', async () => {
  const made = project(
    {
      ...files,
      'fwk.config.ts': `export default { log: { access: { skip: ${SKIP} }, redact: ['iban'], level: 'info' } };\n`,
      'main.ts': `import { bootstrap } from 'fwkit';
console.log('serves', (await bootstrap({ host: '127.0.0.1', port: 0, workers: 1 }))[0]);\n`,
      'services/logger.ts': service('() => console'),
    },
    'js',
  );
  const { output, stop } = run(made);
  const [, url = ''] = await output.waitFor(/^serves (\S+)$/m);
  for (const path of ['/api/text?skip=yes', '/a.txt']) await (await fetch(new URL(path, url))).text();
  await output.waitFor(/^GET \/a\.txt 200/m);
  await stop();
  assert.not.match(output.all, 'skip=yes');
  const warned =
    /^log\.level and log\.redact in the config only apply to fwk's own logger, but services\/logger/gm;
  assert.is(output.all.match(warned)?.length, 1, output.all);
});

test.run();
