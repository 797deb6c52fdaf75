import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, request } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { begin, call, initialize, post, rpc, stateless } from '../../harness/rpc.js';

const limits = {
  sessionLimit: 8_000,
  sessionsLimit: 100_000,
  pendingLimit: 300_000,
  backpressureLimit: 100_000,
  hosts: ['localhost'],
};

const files = {
  'fwk.config.ts': `import { defineConfig } from 'fwkit';
export default defineConfig({ mcp: ${JSON.stringify(limits)} });`,
  'mcp/resources/notes/[id].ts': `import { resource } from 'fwkit/mcp';
export default resource({ handler: ({ id }) => id });`,
  'mcp/tools/wait.ts': `import { tool } from 'fwkit/mcp';
const waiting = [];
export default tool({
  description: 'Waits, whatever its client does, until it is called with go.',
  input: { type: 'object', properties: { go: { type: 'boolean' }, text: { type: 'string' } } },
  handler: async ({ go }) => {
    if (go) for (const one of waiting.splice(0)) one();
    else {
      console.log('waits');
      await new Promise((resolve) => waiting.push(resolve));
      console.log('has waited');
    }
    return 'gone on';
  },
});`,
  'mcp/tools/pour.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Tells more than anybody reads.',
  handler: async (_input, _ctx, call) => {
    for (let n = 0; n < 2_000 && !call.signal.aborted; n++) await call.progress(n, 2_000, 'x'.repeat(10_000));
    console.log('has poured');
    return 'poured';
  },
});`,
  'web/memory.ts': `import { get } from 'fwkit';
export default get(() => { const { rss } = process.memoryUsage(); return { rss }; });`,
};

const test = suite('limits of MCP clients');

const site = await production(files);
const url = site.url;
test.after(async () => site.stop());

const hello = (more: object, capabilities: object = {}) =>
  rpc('initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'a', version: '1', ...more },
  });

test('rejects a session whose client information is too large', async () => {
  const long = hello({ title: 'x'.repeat(10_000) });
  // As text it is short, in memory it is not.
  const wide = hello({}, { experimental: { a: { b: Array(200).fill({}) } } });
  for (const message of [long, wide]) {
    const answer = await post(url, message);
    assert.is(answer.status, 413);
    assert.match(answer.text, /more memory than the limit of 8000 bytes \(mcp\.sessionLimit\)/);
    assert.is(answer.headers['mcp-session-id'], undefined);
  }
  assert.is((await post(url, hello({ title: 'x'.repeat(5_000) }))).status, 200);
});

test('unused sessions are evicted, and no session begins if all are in use', async () => {
  const first = await begin(url);
  for (let count = 0; count < 12; count++) assert.is((await post(url, initialize)).status, 200);
  const list = rpc('tools/list');
  assert.is((await post(url, list, first)).status, 404);
  await site.output.waitFor(/exceed mcp\.sessionsLimit, so the session that was unused for longest ends/);

  const streams = [];
  for (let count = 0; count < 20; count++) {
    const answer = await post(url, initialize);
    const id = answer.headers['mcp-session-id'];
    if (answer.status !== 200) {
      assert.is(answer.status, 503);
      assert.is(answer.headers['retry-after'], '1');
      assert.match(answer.text, /not have enough memory for this request now/);
      break;
    }
    const stream = await connect(url);
    stream.send(
      `GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: ${id}\r\n\r\n`,
    );
    await stream.read(/200 OK/);
    streams.push(stream);
  }
  assert.ok(streams.length > 8 && streams.length < 13, `${streams.length}`);
  for (const stream of streams) stream.close();
  // Their connections end in their own time.
  while ((await post(url, initialize)).status === 503);
});

test('limits the subscriptions of a client', async () => {
  const session = await begin(url);
  const ask = async (method: string, uri: string) =>
    (await post(url, rpc(`resources/${method}`, { uri }), session)).text;
  assert.match(await ask('subscribe', 'nothing://here'), /-32602.*There is no resource nothing:\/\/here/);
  const uri = (n: number) => `notes://${n}${'x'.repeat(1_000)}`;
  let count = 0;
  while (count < 20 && /"result":\{\}/.test(await ask('subscribe', uri(count)))) count++;
  assert.ok(count > 4 && count < 9, `${count}`);
  assert.match(await ask('subscribe', uri(count)), /too many subscriptions \(mcp\.sessionLimit\)/);
  assert.match(await ask('unsubscribe', uri(0)), /"result":\{\}/);
  assert.match(await ask('subscribe', uri(count)), /"result":\{\}/);

  const resourceSubscriptions = Array.from({ length: 20 }, (_, n) => uri(n));
  const [message, headers] = stateless('subscriptions/listen', { notifications: { resourceSubscriptions } });
  assert.is((await post(url, message, headers)).status, 413);
});

test('limits the messages in progress, including canceled ones', async () => {
  const session = await begin(url);
  const text = 'x'.repeat(100_000);
  const wait = (id: number) =>
    post(url, rpc('tools/call', { name: 'wait', arguments: { text } }, id), session);
  for (const id of [1, 2]) {
    const mark = site.output.mark();
    const waiting = wait(id);
    await site.output.waitFor(/waits/, mark);
    await post(
      url,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } },
      session,
    );
    assert.is((await waiting).status, 202);
  }
  const refused = await wait(3);
  assert.is(refused.status, 503);
  assert.is(refused.headers['retry-after'], '1');
  assert.is(await call(url, 'wait', { go: true }, session), 'gone on');
  await site.output.waitFor(/has waited\n[\s\S]*has waited/);
  const mark = site.output.mark();
  const last = wait(4);
  await site.output.waitFor(/waits/, mark);
  assert.is(await call(url, 'wait', { go: true }, session), 'gone on');
  assert.is((await last).status, 200);
});

test('a message that can never be accepted gets an error', async () => {
  const wide = rpc('tools/call', { name: 'wait', arguments: { all: Array(10_000).fill({}) } });
  const answer = await post(url, wide, await begin(url));
  assert.is(answer.status, 413);
  assert.match(answer.text, /mcp\.pendingLimit/);
});

test('limits slow messages, and a client that disconnects frees its place', async () => {
  const slow = await Promise.all(Array.from({ length: 3 }, () => connect(url)));
  const session = await begin(url);
  for (const connection of slow)
    connection.send(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nmcp-session-id: ${session['mcp-session-id']}\r\ncontent-length: 150000\r\n\r\n${'x'.repeat(140_000)}`,
    );
  assert.match(await Promise.any(slow.map((one) => one.read(/no room/))), /^HTTP\/1\.1 503 /);
  for (const connection of slow) connection.close();
  const text = 'x'.repeat(200_000);
  const big = rpc('tools/call', { name: 'wait', arguments: { go: true, text } });
  let answer = await post(url, big, session);
  // Their connections end in their own time.
  while (answer.status === 503) answer = await post(url, big, session);
  assert.is(answer.status, 200);
});

test('a message in pieces of one byte takes the same memory as a whole one', async () => {
  const session = await begin(url);
  const connection = await connect(url);
  const rss = async () => ((await request(url, '/memory')).json as { rss: number }).rss;
  const before = await rss();
  connection.send(
    `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nmcp-session-id: ${session['mcp-session-id']}\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  connection.send('1\r\n \r\n'.repeat(290_000));
  const body = JSON.stringify(rpc('ping'));
  connection.send(`${body.length.toString(16)}\r\n${body}\r\n`);
  await request(url, '/memory');
  const grown = (await rss()) - before;
  connection.send('0\r\n\r\n');
  assert.match(await connection.read(/"result":\{\}/), /200 OK/);
  assert.ok(grown < 60_000_000, `${grown}`);
});

for (const protocol of ['with sessions', 'without'])
  test(`cuts off a client that does not read its stream, in protocol ${protocol}`, async () => {
    const session: Record<string, string> = protocol === 'without' ? {} : { ...(await begin(url)) };
    const params = { name: 'pour', _meta: { progressToken: 1 } };
    const [sent, headers] = stateless('tools/call', params);
    const message =
      protocol === 'without'
        ? { ...sent, params: { ...sent.params, _meta: { ...params._meta, ...metaOf(sent) } } }
        : rpc('tools/call', params);
    const body = JSON.stringify(message);
    const fields = Object.entries({
      ...(protocol === 'without' ? headers : session),
      host: 'localhost',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'content-length': body.length,
    });
    const connection = await connect(url);
    connection.pause();
    connection.send(
      `POST /mcp HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    );
    await site.output.waitFor(/has poured/);
    connection.resume();
    const got = await connection.rest();
    assert.match(got, /^HTTP\/1\.1 200 OK/);
    assert.ok(got.length < 15_000_000, `${got.length}`);
    assert.not.match(got.slice(-1_000), /poured/);
    assert.is((await post(url, initialize)).status, 200);
  });

const metaOf = ({ params }: { readonly params: object }): object =>
  '_meta' in params && typeof params._meta === 'object' ? { ...params._meta } : {};

test.run();
