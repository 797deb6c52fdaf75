import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Connection, connect, tcp } from '../../harness/http.js';
import { keptClients, refused } from '../../harness/keep-alive-clients.js';
import { nodes } from '../../harness/nodes.js';
import { withPatience } from '../../harness/patience.js';
import { type Files, project } from '../../harness/project.js';
import { MAIN, production } from '../../harness/settings.js';
import { configFile, postRoute, route } from '../../harness/source.js';

/** Responds when the process receives a signal. */
const untilTold = (name: string, answer: string) =>
  route(
    'get, error',
    `async (req, res) => {
       const told = new Promise((resolve) => process.once('SIGUSR2', resolve));
       console.log('[${name} began]');
       await told;
       ${answer}
     }`,
  );

/** The routes of answers that begin then. */
const KINDS = ['text', 'empty', 'stream', 'refused', 'fails'] as const;

const files: Files = {
  'main.ts': MAIN,
  'worker.ts': MAIN.replace('bootstrap()', 'bootstrap({ workers: 1 })'),
  'public/file.txt': 'a file',
  'api/quick.ts': route('get', '() => "quick"'),
  'api/text.ts': untilTold('text', `return 'told';`),
  'api/empty.ts': untilTold('empty', ''),
  'api/stream.ts': untilTold('stream', `return (async function* () { yield 'a'; yield 'b'; })();`),
  'api/refused.ts': untilTold('refused', `throw error(418, 'no');`),
  'api/fails.ts': untilTold('fails', `throw new Error('on purpose');`),
  'api/keeps.ts': route('get', `(req, res) => { res.header('Connection', 'keep-alive'); return 'kept'; }`),
  'api/tells.post.ts': postRoute(`(req) => { console.log('[told ' + req.query.x + ']'); return 'done'; }`),
  'api/large.ts': route('get', `() => { console.log('[large]'); return 'x'.repeat(20_000_000); }`),
  // The event loop is blocked meanwhile, so requests wait in the kernel's buffers.
  'api/computes.ts': route(`() => {
       console.log('[computes]');
       for (const end = Date.now() + 1000; Date.now() < end; );
       return 'computed';
     }`),
};
const config = (drainLimit: number): Files => ({
  'fwk.config.ts': configFile(`{ http: { drainLimit: ${drainLimit} } }`),
});
const made = project(files, 'js');
/** For tests that fail if the limit is reached. */
const patient = project({ ...files, ...config(600_000) }, 'js');
const hasty = project({ ...files, ...config(1_500) }, 'js');
const get = (at: string, more = '') => `GET ${at} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

for (const [name, node] of nodes()) {
  const test = suite(name);
  const run = (entry = 'main.js', of = made) => production(of, entry, node);
  type Server = Awaited<ReturnType<typeof run>>;
  /** Ends it; resolves when it has heard that. */
  const stop = ({ child, url }: Server) => {
    child.kill('SIGTERM');
    return refused(url);
  };

  test('every connection gets the response that it waits for, and Connection: close', async () => {
    const server = await run();
    const ask = async (connection: Connection, at: string) => {
      connection.send(get(at));
      assert.match(await connection.read(/"quick"$/), /^Connection: keep-alive\r$/m);
    };
    // Requests that are answered after the signal.
    const begun = await Promise.all(KINDS.map(() => connect(server.url)));
    for (const [index, connection] of begun.entries()) {
      // The direct writer is used from the second request on.
      for (let asked = 0; asked < 3; asked += 1) await ask(connection, '/api/quick');
      connection.send(get(`/api/${KINDS[index]}`));
      await server.output.waitFor(new RegExp(`\\[${KINDS[index]} began\\]`));
    }
    // Connections that send another request after the signal: for a file, a route, an unknown path, or several routes.
    const more = [['/file.txt'], ['/api/quick'], ['/nowhere'], Array(3).fill('/api/quick')];
    const kept = await Promise.all(more.map(() => connect(server.url)));
    for (const connection of kept) await ask(connection, '/api/quick');
    // Half a request head, on a new connection and on a used one.
    const halves = await Promise.all([connect(server.url), connect(server.url)]);
    halves[0]?.send('GET /api/quick HTTP/1.1\r\nHo');
    if (halves[1]) await ask(halves[1], '/api/quick');

    await stop(server);
    const since = performance.now();
    halves[1]?.send('GET /api/quick HT');
    for (const [index, connection] of kept.entries())
      connection.send((more[index] ?? []).map((at) => get(at)).join(''));
    const answers = await Promise.all(kept.map((connection) => connection.rest()));
    assert.equal(
      answers.map((answer) => /^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]),
      ['200', '200', '404', '200'],
    );
    assert.equal(
      answers.map((answer) => [...answer.matchAll(/^Connection: (\S+)\r$/gm)].map((match) => match[1])),
      [['close'], ['close'], ['close'], ['keep-alive', 'keep-alive', 'close']],
    );
    for (const half of halves)
      assert.match(await half.rest(), /^HTTP\/1\.1 408 [\s\S]*^Connection: close\r$/m);
    server.child.kill('SIGUSR2');
    const [first, ...others] = begun;
    const answered = [await first?.read(/"told"$/)];
    first?.send('POST /api/tells?x=late HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
    for (const connection of others) answered.push(await connection.rest());
    for (const answer of answered)
      assert.match(String(answer), /^HTTP\/1\.1 \d+ [\s\S]*^Connection: close\r$/m);
    const { status, stdout } = await server.end;
    assert.is(status, 0);
    assert.not.match(stdout, /\[told late\]/);
    assert.ok(performance.now() - since < 5_000, 'half a head does not hold up the end');
  });

  test('a handler that sets Connection: keep-alive does not delay the shutdown', async () => {
    const server = await run();
    const clients = keptClients(server.url, '/api/keeps', 4);
    await clients.busy;
    server.child.kill('SIGTERM');
    const begun = performance.now();
    assert.is((await clients.done).lost, 0);
    assert.is((await server.end).status, 0);
    assert.ok(performance.now() - begun < 5_000, `${performance.now() - begun} ms`);
  });

  test('a request after the last response does not delay the shutdown', async () => {
    const server = await run('main.js', patient);
    // It never closes its side.
    const client = await tcp(server.url, { allowHalfOpen: true });
    const ended = once(client.resume(), 'end');
    await stop(server);
    client.write(get('/api/quick'));
    await ended;
    client.write(get('/api/quick'));
    assert.is((await withPatience(server.end, () => new Error('It did not end'))).status, 0);
    client.destroy();
  });

  for (const entry of ['main.js', 'worker.js'])
    test(`${entry}: connections in the accept queue are answered`, async () => {
      const server = await run(entry);
      const busy = await connect(server.url);
      busy.send(get('/api/computes'));
      await server.output.waitFor(/\[computes\]/);
      const connections = await Promise.all(Array.from({ length: 64 }, () => connect(server.url)));
      for (const connection of connections) connection.send(get('/api/quick'));
      server.child.kill('SIGTERM');
      const answers = await Promise.all(connections.map((connection) => connection.rest()));
      assert.is(answers.filter((answer) => answer.endsWith('\r\n\r\n"quick"')).length, 64);
      assert.match(await busy.rest(), /"computed"$/);
      assert.is((await server.end).status, 0);
    });

  test('a large response is sent completely to a slow reader', async () => {
    const server = await run();
    const connection = await connect(server.url);
    connection.pause();
    connection.send(get('/api/large'));
    await server.output.waitFor(/\[large\]/);
    await stop(server);
    connection.resume();
    assert.is((await connection.rest()).split('\r\n\r\n')[1]?.length, 20_000_002);
    assert.is((await server.end).status, 0);
  });

  test('an unread response is cut off at the limit, with status 1', async () => {
    const server = await run('main.js', hasty);
    const connection = await connect(server.url);
    connection.pause();
    connection.send(get('/api/large'));
    await server.output.waitFor(/\[large\]/);
    await server.stop(1);
    connection.close();
  });

  test.run();
}
