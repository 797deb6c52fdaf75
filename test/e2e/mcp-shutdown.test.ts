import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bootstrapped } from '../harness/bootstrapped.js';
import { connect } from '../harness/http.js';
import { begin, post, rpc, stateless } from '../harness/rpc.js';

// The end of a server in production: streams that have no end of their own are ended, calls are answered.

const files = {
  'mcp/tools/slow.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Takes until it is told to answer.',
  handler: async () => {
    const told = new Promise((resolve) => process.once('SIGUSR2', resolve));
    console.log('called');
    await told;
    return 'answered';
  },
});`,
};

const test = suite('shutdown');

test('streams are ended, a running call is answered, and the process ends with 0', async () => {
  const site = await bootstrapped(files, 'js');
  const session = await begin(site.url);
  const stream = await connect(site.url);
  stream.send(
    `GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: ${session['mcp-session-id']}\r\n\r\n`,
  );
  await stream.read(/200 OK[\s\S]*text\/event-stream/);
  const [message, headers] = stateless('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const body = JSON.stringify(message);
  const listening = await connect(site.url);
  const head = Object.entries({
    ...headers,
    'content-type': 'application/json',
    'content-length': body.length,
  });
  listening.send(
    `POST /mcp HTTP/1.1\r\nhost: localhost\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
  await listening.read(/subscriptions\/acknowledged/);

  const called = post(site.url, rpc('tools/call', { name: 'slow' }), session);
  await site.output.waitFor(/^called$/m);
  const end = site.stop();
  await Promise.all([stream.rest(), listening.rest()]);
  site.child.kill('SIGUSR2');
  assert.match((await called).text, /"text":"answered"/);
  assert.is((await end).status, 0);
});

test.run();
