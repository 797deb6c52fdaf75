import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { begin, initialize, post, rpc, stateless } from '../../harness/rpc.js';

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
  'mcp/tools/collect.ts': `import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { tool } from 'fwkit/mcp';
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
export default tool({
  description: 'Collects garbage.',
  handler: async () => {
    for (let time = 0; time < 3; time += 1) {
      collect();
      await new Promise(setImmediate);
    }
    return 'collected';
  },
});`,
};

const test = suite('shutdown');

test('streams end, a running call is answered, and the process exits with 0', async () => {
  const site = await production(files);
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
  // A stream's age is not limited, and its abort controller is not collected.
  assert.match((await post(site.url, rpc('tools/call', { name: 'collect' }), session)).text, /collected/);

  const called = post(site.url, rpc('tools/call', { name: 'slow' }), session);
  await site.output.waitFor(/^called$/m);
  const end = site.stop();
  await Promise.all([stream.rest(), listening.rest()]);
  site.child.kill('SIGUSR2');
  assert.match((await called).text, /"text":"answered"/);
  await end;
});

test('a stream or a session that begins during shutdown is rejected and does not delay it', async () => {
  const site = await production(files);
  const session = await begin(site.url);
  const id = session['mcp-session-id'];
  const stream = await connect(site.url);
  const listen = `GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: ${id}\r\n\r\n`;
  stream.send(listen);
  await stream.read(/200 OK/);
  const calling = async () => {
    const mark = site.output.mark();
    const connection = await connect(site.url);
    const body = JSON.stringify(rpc('tools/call', { name: 'slow' }, mark));
    connection.send(head({ 'mcp-session-id': id }, body));
    await site.output.waitFor(/^called$/m, mark);
    return connection;
  };
  const kept = [await calling(), await calling(), await calling()] as const;
  const end = site.stop();
  // After the end of this one, no further stream is accepted.
  await stream.rest();
  const [message, headers] = stateless('subscriptions/listen', { notifications: { toolsListChanged: true } });
  kept[0].send(listen);
  kept[1].send(head(headers, JSON.stringify(message)));
  kept[2].send(head({}, JSON.stringify(initialize)));
  const since = performance.now();
  site.child.kill('SIGUSR2');
  for (const connection of kept) {
    const [first, ...others] = (await connection.rest()).split(/(?=HTTP\/1\.1)/);
    assert.match(String(first), /"text":"answered"/);
    for (const other of others) assert.match(other, /^HTTP\/1\.1 503 [\s\S]*connection: close/i);
  }
  await end;
  assert.ok(performance.now() - since < 5_000);
});

const head = (headers: Readonly<Record<string, string>>, body: string): string => {
  const all = { ...headers, 'content-type': 'application/json', 'content-length': body.length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n${body}`;
};

const asking = {
  'mcp/tools/ask.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Asks.', handler: (_input, _ctx, call) => call.ask('roots/list') });`,
};

test('a call that waits for its client gets an error instead', async () => {
  const site = await production(asking);
  const able = { ...initialize, params: { ...initialize.params, capabilities: { roots: {} } } };
  const id = String((await post(site.url, able)).headers['mcp-session-id']);
  const connection = await connect(site.url);
  connection.send(head({ 'mcp-session-id': id }, JSON.stringify(rpc('tools/call', { name: 'ask' }))));
  await connection.read(/roots\/list/);
  const end = site.stop();
  assert.match(await connection.rest(), /The server is shutting down and does not wait for answers/);
  await end;
});

test.run();
