import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { running } from '../../harness/running.js';
import { connectSocket } from '../../harness/socket.js';
import { route, wsModule } from '../../harness/source.js';

const says = (text: string) => wsModule(`({ send }) => send('${text}')`);

/** The abandoned version and the next one continue when a file "go" exists. */
const slow = `
  import { existsSync } from 'node:fs';
  import { service } from 'fwkit';
  const opens = async () => {
    while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  console.log('[waiting]');
  await (globalThis.opened ??= opens());
  export default service(() => 'slow');`;

const test = suite('the first socket');

test('a socket edited while the first version with sockets is created uses the last save', () =>
  running({ 'api/x.ts': route('get', `() => 'x'`) }, async ({ made, server }) => {
    const from = server.output.mark();
    made.write('services/slow.ts', slow);
    made.write('ws/chat.ts', says('first'));
    const { index = 0 } = await server.waitFor(/\[waiting\]/, from);
    made.write('ws/chat.ts', says('second'));
    await server.waitFor(/\[waiting\]/, from + index + 1);
    made.write('go', '');
    await server.waitFor(/reloaded/, from);
    const peer = await connectSocket(server.url, '/ws/chat');
    assert.is(await peer.next(), 'second');
    peer.close();
  }));

test.run();
