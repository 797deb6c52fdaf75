import http from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { type Files, project } from '../../harness/project.js';
import { connectSocket, type Peer } from '../../harness/socket.js';
import { postRoute, route, service, wsModule } from '../../harness/source.js';
import { made, team } from '../../harness/workers.js';

const files: Files = {
  'ws/room/[name].ts': wsModule(`({ params, join, send }) => {
       join(params.name);
       send(String(process.pid));
     }`),
  'api/say/[name].ts': postRoute(`(req, res, ctx) => {
       ctx.rooms.publish(req.params.name, 'hello');
       ctx.rooms.publish(req.params.name, { at: 1 });
     }`),
  'api/count/[name].ts': route('get', '(req, res, ctx) => ctx.rooms.count(req.params.name)'),
  'services/clock.ts': service(`(ctx, { onStart }) => {
       let early;
       try { ctx.rooms.publish('x', 'early'); } catch (thrown) { early = thrown.message; }
       onStart(() => {
         ctx.rooms.publish('nobody is there', 'yet');
         console.log('[' + early + ']');
       });
       return {};
     }`),
};

/** Connections are not kept, because the worker may end. */
const fresh = new http.Agent({ keepAlive: false });

/** Sends requests until a number is reported: other workers hear of a change later. */
async function counted(url: string, room: string, expected: number): Promise<void> {
  const until = performance.now() + 5_000;
  let count: unknown;
  do count = (await request(url, `/api/count/${room}`, { agent: fresh })).json;
  while (count !== expected && performance.now() < until);
  assert.is(count, expected);
}

const test = suite('ctx.rooms');

test('reaches and counts sockets from a route across reloads', async () => {
  const app = project(files);
  const server = await dev(app);
  try {
    await server.waitFor(/\[ctx\.rooms is unavailable before the app serves: /);
    const one = await connectSocket(server.url, '/ws/room/a');
    await one.next();
    await counted(server.url, 'a', 1);
    await counted(server.url, 'b', 0);
    await request(server.url, '/api/say/a', { method: 'POST' });
    assert.equal(await one.take(2), ['hello', '{"at":1}']);
    const from = server.output.mark();
    app.write('api/say/[name].ts', route('post', `(req, res, ctx) => ctx.rooms.publish('a', 'new')`));
    await server.waitFor(/reloaded/, from);
    // The socket's handler runs again and joins its room again. The service that reads ctx.rooms is kept.
    assert.match(String(await one.next()), /^\d+$/);
    assert.not.match(server.output.all.slice(from), /rooms is unavailable/);
    await request(server.url, '/api/say/a', { method: 'POST' });
    assert.is(await one.next(), 'new');
    one.close();
    await one.closed;
    await counted(server.url, 'a', 0);
  } finally {
    await server.stop();
  }
});

test('with workers, reaches and counts the sockets of all workers, and forgets those of an ended one', async () => {
  const workers = await team(made(files));
  try {
    const peers: Peer[] = [];
    /** The worker that each is connected to. */
    const received: unknown[] = [];
    while (new Set(received).size < 2) {
      const peer = await connectSocket(workers.url, '/ws/room/a');
      peers.push(peer);
      received.push(await peer.next());
    }
    await counted(workers.url, 'a', peers.length);
    await workers.ask('/api/say/a', { method: 'POST' });
    for (const peer of peers) assert.equal(await peer.take(2), ['hello', '{"at":1}']);
    const [first] = received;
    const gone = peers.filter((_, index) => received[index] === first);
    process.kill(Number(first), 'SIGKILL');
    // Until it is known, connections may be given to it.
    await workers.output.waitFor(/ended with SIGKILL/);
    for (const peer of gone) await peer.closed;
    await counted(workers.url, 'a', peers.length - gone.length);
    for (const peer of peers) peer.close();
  } finally {
    await workers.stop();
  }
});

test('a value of the project with the same name takes precedence', async () => {
  const server = await dev(
    project({
      ...files,
      'services/rooms.ts': service(`() => 'mine'`),
      'services/clock.ts': service('() => 1'),
      'api/mine.ts': route('get', '(req, res, ctx) => ctx.rooms'),
    }),
  );
  try {
    assert.is((await request(server.url, '/api/mine')).json, 'mine');
  } finally {
    await server.stop();
  }
});

test.run();
