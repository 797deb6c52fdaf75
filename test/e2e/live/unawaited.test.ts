import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { production } from '../../harness/production.js';
import { connectSocket } from '../../harness/socket.js';

const MESSAGES = 100;

const files = {
  'lib/gate.ts': `export const state = { handled: 0 };
export const gate = new Promise((resolve) => { state.open = resolve; });`,
  'ws/echo.ts': `import { ws } from 'fwkit';
import { gate, state } from '../lib/gate.js';
const slow = { '~standard': { version: 1, vendor: 'own', validate: (value) => gate.then(() => ({ value })) } };
export default ws({ send: slow }, ({ onJson, send }) => onJson((value) => {
  state.handled += 1;
  send(value);
}));`,
  'api/handled.get.ts': `import { get } from 'fwkit';
import { state } from '../lib/gate.js';
export default get(() => state.handled);`,
  'api/open.post.ts': `import { post } from 'fwkit';
import { state } from '../lib/gate.js';
export default post(() => void state.open());`,
};

const test = suite('messages with asynchronous checks');

test('delay the next messages of their client and keep their order', async () => {
  const server = await production(files);
  const peer = await connectSocket(server.url, '/ws/echo');
  for (let sent = 0; sent < MESSAGES; sent += 1) peer.send(String(sent));
  // Answered after all that came before it has been read.
  peer.socket.ping();
  await once(peer.socket, 'pong');
  const handled = Number((await server.raw('/api/handled')).text);
  assert.ok(handled > 0 && handled < 20, String(handled));
  await server.raw('/api/open', { method: 'POST' });
  for (let sent = 0; sent < MESSAGES; sent += 1) assert.is(await peer.json(), sent);
  peer.close();
  await server.stop();
});

test.run();
