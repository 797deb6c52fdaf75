import { once } from 'node:events';
import net from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { made, team } from '../../harness/workers.js';

const test = suite('workers descriptors');

/** More than two workers may have. */
const CONNECTIONS = 300;

test('workers without free descriptors accept connections again later', async () => {
  const app = await team(made(), 'main.js', ['sh', '-c', 'ulimit -n 60; exec "$@"', 'sh']);
  const { hostname, port } = new URL(app.url);
  const sockets: net.Socket[] = [];
  let isTold = false;
  const logged = app.output.waitFor(/"Worker \d+ has no file descriptor left: .*ulimit -n/).finally(() => {
    isTold = true;
  });
  // One after the other: the first process is not to run out of them, too.
  while (!isTold && sockets.length < CONNECTIONS) {
    const socket = net.connect({ host: hostname, port: Number(port), autoSelectFamily: true });
    sockets.push(socket.on('error', () => {}));
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  }
  await logged;
  for (const socket of sockets) socket.destroy();
  // Connections that wait to be accepted are handled first.
  let first: unknown;
  for (const until = performance.now() + 10_000; performance.now() < until && first === undefined; )
    first = await app.ask('/api/version').then(
      ({ json }) => json,
      () => undefined,
    );
  assert.is(first, 1, 'nobody answers');
  assert.is(new Set(await app.pids(8)).size, 2, 'both workers answer');
  const { status, stderr } = await app.stop();
  assert.is(status, 0);
  assert.is(stderr, '');
});

test.run();
