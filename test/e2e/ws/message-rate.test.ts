import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { production } from '../../harness/production.js';
import { connectSocket } from '../../harness/socket.js';
import { configFile, wsModule } from '../../harness/source.js';

const test = suite('ws.messageRate');

test('a client that sends faster is disconnected with 1008, and others are not', async () => {
  const site = await production({
    'fwk.config.ts': configFile('{ ws: { messageRate: 5 } }'),
    'ws/echo.ts': wsModule('({ send, onMessage }) => onMessage((m) => { send(m); })'),
  });
  const [fast, slow] = [await connectSocket(site.url, '/ws/echo'), await connectSocket(site.url, '/ws/echo')];
  for (let count = 0; count < 50; count += 1) fast.send(String(count));
  assert.equal(await fast.take(5), ['0', '1', '2', '3', '4']);
  assert.equal(await fast.closed, [1008, 'More than 5 messages per second']);
  for (let count = 0; count < 5; count += 1) slow.send(String(count));
  assert.equal(await slow.take(5), ['0', '1', '2', '3', '4']);
  slow.close();
  await site.stop();
});

test.run();
