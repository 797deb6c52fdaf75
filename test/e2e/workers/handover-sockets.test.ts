import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BINARY, CONTINUATION, frame, framesIn, handshakeHead, PING, PONG, TEXT } from '../../fuzz/frames.js';
import { connect } from '../../harness/http.js';
import { unsampled } from '../../harness/sample.js';
import { connectSocket, type Peer } from '../../harness/socket.js';
import { configFile, middleware, module, service } from '../../harness/source.js';
import { made, reload, type Team, team } from '../../harness/workers.js';

/** A schema of numbers, each with the default 0. */
const STATE = (fields: readonly string[]) => `const state = { '~standard': { version: 1, vendor: 'test',
  validate: (value) => {
    const fields = ${JSON.stringify(fields)}.map((name) => [name, value[name] ?? 0]);
    const wrong = fields.find(([, field]) => typeof field !== 'number');
    return wrong ? { issues: [{ message: 'must be a number', path: [wrong[0]] }] } : { value: Object.fromEntries(fields) };
  } } };`;

const socket = (handler: string, ...fields: readonly string[]) =>
  module('ws', `${STATE(fields)}\nexport default ws({ state }, ${handler});`);

const files = {
  'ws/echo.ts': socket(
    `({ state, send, onMessage }) => {
       state.opened += 1;
       onMessage((message) => send([++state.count, process.pid, state.opened, message].join(' ')));
     }`,
    'count',
    'opened',
  ),
  'ws/slow.ts': socket(
    `({ state, send, onMessage, onClose }) => {
       onMessage(async (message) => {
         await new Promise((resolve) => setTimeout(resolve, 20));
         send(++state.count + ' ' + message);
       });
       onClose(({ code }) => send('closed ' + code));
     }`,
    'count',
  ),
  'ws/held.ts': `import { untilGo } from '../lib/go.js';\n${socket(
    `({ state, send, signal, onMessage, onClose }) => {
       signal.addEventListener('abort', () => console.log('[leaving]'));
       onMessage(async (message) => {
         await untilGo();
         send(++state.count + ' ' + message);
       });
       onClose(({ code }) => send('closed ' + code));
     }`,
    'count',
  )}`,
  'ws/size.ts': socket(
    '({ send, onMessage }) => onMessage((message) => send(typeof message + " " + message.length))',
    'n',
  ),
  'ws/flood.ts': socket(
    `({ send }) => { for (let count = 0; count < 200; count += 1) send('x'.repeat(1e5)); }`,
    'n',
  ),
  'ws/plain.ts': module('ws', 'export default ws(({ send, onMessage }) => onMessage((m) => send(m)));'),
  'ws/guarded/echo.ts': socket('({ send, onMessage }) => onMessage((message) => send(message))', 'n'),
  'ws/rooms/[room].ts': socket(
    `({ state, params, join, publish, send, onMessage, onClose }) => {
       join(params.room);
       onMessage((message) => publish(params.room, message));
       onClose(({ code }) => publish(params.room, 'closed ' + code));
       if (!state.joined) { state.joined = 1; send('joined'); }
     }`,
    'joined',
  ),
  'ws/migrated.ts': socket('({ state, send, onMessage }) => onMessage(() => send(state))', 'n'),
};

const app = (config = '{}') => team(made({ ...files, 'fwk.config.ts': configFile(config) }));

/** Reloads; resolves with the line about connections. */
async function moved(running: Team): Promise<string> {
  const from = running.output.mark();
  await reload(running);
  const [line] = await running.output.waitFor(/"msg":"(?:Handed over|Closed \d).*"/, from);
  return line;
}

const open = (count: number, { url }: Team, path: string) =>
  Promise.all(Array.from({ length: count }, () => connectSocket(url, path)));

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

/** Asserts that ws/slow.ts or ws/held.ts has answered the messages of `numbered` in order. Resolves with how many times `onClose` has run. */
async function assertAnswers(peer: Peer, count: number): Promise<number> {
  let closed = 0;
  for (let index = 0; index < count; ) {
    const answer = await peer.next();
    if (answer === 'closed 1012') closed += 1;
    else assert.is(answer, `${index + 1} m${index++}`);
  }
  return closed;
}

/** A frame of text, or a part of it. */
const piece = (opcode: number, text: string, fin = true) =>
  frame({ opcode, payload: Buffer.from(text), fin });

const test = suite<{ app: Team }>('workers handover sockets');
test.before(async (context) => {
  context.app = await app();
});
test.after(async ({ app }) => {
  assert.is((await app.stop()).status, 0);
  assert.is(app.output.stderr, '');
});

test('sockets with state move, and messages are neither lost nor doubled nor out of order', async ({
  app,
}) => {
  const peers = await open(30, app, '/ws/echo');
  let isOver = false;
  let sent = 0;
  const send = async () => {
    while (!isOver) {
      for (const peer of peers) peer.send(String(sent));
      sent += 1;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const sending = send();
  const pids = new Set<string>();
  for (let round = 0; round < 3; round += 1) {
    assert.match(await moved(app), /"Handed over 30 WebSockets in \d+\.\d s\."/);
  }
  isOver = true;
  await sending;
  for (const peer of peers) {
    const messages = (await peer.take(sent)).map((message) => String(message).split(' '));
    assert.equal(
      messages.map(([count, , , message]) => [count, message]),
      Array.from({ length: sent }, (_, index) => [String(index + 1), String(index)]),
    );
    for (const [, pid = ''] of messages) pids.add(pid);
    peer.close();
  }
  assert.ok(pids.size > 2, String(pids.size));
});

test('sockets without state close with 1001, and the log has the reason', async ({ app }) => {
  const [plain] = await open(1, app, '/ws/plain');
  assert.is(/"msg":"(.*)"/.exec(await moved(app))?.[1], 'Closed 1 WebSocket: 1 without state (ws/plain.js).');
  assert.equal(await plain?.closed, [1001, 'The server is shutting down']);
});

test('fragments and frames in pieces, 700 KB and pings between continue in the new worker', async ({
  app,
}) => {
  const client = await connect(app.url);
  client.send(handshakeHead('/ws/size'));
  await client.read(/\r\n\r\n$/);
  const [ping, second] = [piece(PING, 'half'), piece(CONTINUATION, 'second', false)];
  const big = piece(TEXT, 'x'.repeat(700_000));
  const bytes = piece(BINARY, 'bytes');
  const pieces = [
    piece(TEXT, 'first', false),
    Buffer.concat([piece(PING, 'whole'), ping.subarray(0, 3)]),
    Buffer.concat([ping.subarray(3), second.subarray(0, 3)]),
    second.subarray(3),
    Buffer.concat([piece(CONTINUATION, 'third'), piece(TEXT, 'whole'), big.subarray(0, 9)]),
    big.subarray(9, 400_000),
    Buffer.concat([big.subarray(400_000), ping.subarray(0, 1)]),
    Buffer.concat([ping.subarray(1), bytes.subarray(0, 1)]),
    bytes.subarray(1),
  ];
  for (const one of pieces) {
    client.send(one);
    await moved(app);
  }
  const answers = framesIn(Buffer.from(await client.read(/object 5/), 'latin1'));
  const texts = (wanted: number) =>
    answers.filter(({ opcode }) => opcode === wanted).map(({ payload }) => payload.toString());
  assert.equal(texts(TEXT), ['string 16', 'string 5', 'string 700000', 'object 5']);
  // A worker also answers the pings of an incomplete message that the worker before it has answered.
  assert.equal(new Set(texts(PONG)), new Set(['whole', 'half']));
  client.close();
});

test('waiting messages move, and a running callback ends first', async ({ app }) => {
  const [peer] = await open(1, app, '/ws/held');
  assert.ok(peer);
  peer.send(...numbered(60));
  const moving = moved(app);
  await app.output.waitFor(/\[leaving\]/);
  app.made.write('go', '');
  await moving;
  assert.is(await assertAnswers(peer, 60), 1);
  peer.close();
  app.made.remove('go');
});

test('each member of a room receives each message once, in the order of its sender', async ({ app }) => {
  const members = await open(12, app, '/ws/rooms/a');
  for (const member of members) assert.is(await member.next(), 'joined');
  let isOver = false;
  let sent = 0;
  const sending = (async () => {
    while (!isOver) {
      for (const [index, member] of members.entries()) member.send(`${index} ${sent}`);
      sent += 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  for (let round = 0; round < 3; round += 1)
    assert.match(await moved(app), /"Handed over 12 WebSockets in \d+\.\d s\."/);
  isOver = true;
  await sending;
  const expected = Array.from({ length: sent }, (_, index) => String(index));
  for (const member of members) {
    // Each of the other members has been closed in three old workers.
    const messages = (await member.take(sent * members.length + 3 * (members.length - 1))).map(String);
    for (const index of members.keys()) {
      const own = messages.filter((message) => message.startsWith(`${index} `));
      assert.equal(
        own.map((message) => message.split(' ')[1]),
        expected,
      );
    }
  }
  for (const member of members) member.close();
});

unsampled(test)(
  'a state migrates by defaults; a state that the new schema rejects closes with 1012',
  async ({ app }) => {
    const [kept] = await open(1, app, '/ws/migrated');
    app.made.write(
      'ws/migrated.ts',
      socket('({ state, send, onMessage }) => onMessage(() => send(state))', 'n', 'more'),
    );
    await moved(app);
    assert.is(await kept?.send('').next(), '{"n":0,"more":0}');
    app.made.write(
      'ws/migrated.ts',
      module(
        'ws',
        `const state = { '~standard': { version: 1, vendor: 'test',
      validate: (value) => 'n' in value ? { issues: [{ message: 'must not exist', path: ['n'] }] } : { value: {} } } };
      export default ws({ state }, () => {});`,
      ),
    );
    assert.is(
      /"msg":"(.*)"/.exec(await moved(app))?.[1],
      'Closed 1 WebSocket: 1 refused (ws/migrated.js: n: must not exist).',
    );
    assert.equal(await kept?.closed, [1012, 'The new code does not accept this connection']);
  },
);

unsampled(test)('a new guard closes with 1012, and so does a removed route', async ({ app }) => {
  const [guarded] = await open(1, app, '/ws/guarded/echo');
  app.made.write(
    'middlewares/ws/guarded.ts',
    middleware(`() => { throw error(403, 'Members only'); }`, 'middleware, error'),
  );
  assert.match(await moved(app), /"Closed 1 WebSocket: 1 refused \(\/ws\/guarded\/echo\)\."/);
  assert.equal(await guarded?.closed, [1012, 'The new code does not accept this connection']);
});

unsampled(test)('moves are not requests: rate limits and access log ignore them', async () => {
  const running = await app(`{ rateLimit: { limit: 2, window: 60 }, log: { access: true } }`);
  const [peer] = await open(1, running, '/ws/echo');
  for (let round = 0; round < 3; round += 1) {
    await peer?.send('x').next();
    assert.match(await moved(running), /Handed over 1 WebSocket in/);
  }
  await peer?.send('x').next();
  peer?.close();
  const [line] = await running.output.waitFor(/\{.*closed 101.*\}/);
  const { received, sent, duration } = JSON.parse(line);
  assert.equal([received, sent], [4, 4]);
  assert.ok(duration > 500, line);
  assert.is(running.output.all.match(/opened 101/g)?.length, 1);
  assert.is(running.output.all.match(/closed 101/g)?.length, 1);
  assert.is((await running.stop()).status, 0);
});

unsampled(test)('a new worker that is killed while sockets move loses no socket of the others', async () => {
  const running = await app();
  const peers = await open(60, running, '/ws/slow');
  for (const peer of peers) peer.send(...numbered(5));
  const before = await running.pids();
  const from = running.output.mark();
  await reload(running);
  const [, victim = ''] = await running.output.waitFor(/\[made (\d+)\]/, from);
  assert.not.ok(before.includes(Number(victim)));
  process.kill(Number(victim), 'SIGKILL');
  await Promise.all(before.map((pid) => running.output.waitFor(new RegExp(`\\[destroyed ${pid}\\]`))));
  let survived = 0;
  for (const peer of peers) {
    const counts: string[] = [];
    for (
      let message = await peer.next().catch(() => undefined);
      message;
      message = await peer.next().catch(() => undefined)
    ) {
      if (String(message).startsWith('closed')) continue;
      counts.push(String(message));
      if (counts.length === 5) break;
    }
    // The killed worker lost the sockets that it had taken, but no socket got a message twice.
    assert.equal(
      counts,
      Array.from({ length: counts.length }, (_, index) => `${index + 1} m${index}`),
    );
    survived += Number(peer.socket.readyState === peer.socket.OPEN && counts.length === 5);
  }
  assert.ok(survived >= 20, `${survived} survived`);
  for (const peer of peers) peer.close();
  await running.stop();
});

unsampled(test)('SIGTERM while sockets move closes all with 1001 or 1012', async () => {
  const running = await app('{ ws: { drainLimit: 2000 } }');
  const peers = await open(60, running, '/ws/slow');
  for (const peer of peers) peer.send(...numbered(20));
  await reload(running);
  const { status } = await running.stop();
  assert.is(status, 0, running.output.all);
  for (const peer of peers) assert.ok([1001, 1012].includes((await peer.closed)[0]));
});

unsampled(test)(
  'a client that does not read is disconnected after ws.drainLimit, and does not delay others',
  async () => {
    const running = await app('{ ws: { drainLimit: 1000, backpressureLimit: 1e8 } }');
    const deaf = await Promise.all(Array.from({ length: 6 }, () => connect(running.url)));
    for (const client of deaf) {
      client.pause();
      client.send(handshakeHead('/ws/flood'));
    }
    const peers = await open(20, running, '/ws/echo');
    for (const peer of peers) await peer.send('1').next();
    const line = await moved(running);
    assert.match(
      line,
      /"Handed over 20 WebSockets in \d+\.\d s\. Closed 6 WebSockets: 6 that read too slowly \(ws\/flood\.js\)\."/,
    );
    for (const peer of peers) assert.match(String(await peer.send('2').next()), /^2 \d+ 2 2$/);
    assert.is((await running.stop()).status, 0);
  },
);

unsampled(test)('sockets wait while the new workers have no file descriptor left', async () => {
  const running = await team(
    made({
      ...files,
      'services/hog.ts': service(`() => {
        const fill = () => {
          const taken = [];
          try { for (;;) taken.push(openSync('/dev/null')); } catch { console.log('[full ' + process.pid + ']'); }
          setTimeout(() => { for (const one of taken) closeSync(one); }, 600);
        };
        // Not earlier, because a worker that is starting opens files.
        const { send } = process;
        process.send = (message, ...rest) => {
          if (message.fwkit === 'ready' && existsSync('hog')) fill();
          return send.call(process, message, ...rest);
        };
        return {};
      }`).replace('import', `import { closeSync, existsSync, openSync } from 'node:fs';\nimport`),
    }),
    'main.js',
    ['sh', '-c', 'ulimit -n 100; exec "$@"', 'sh'],
  );
  const peers = await open(30, running, '/ws/slow');
  for (const peer of peers) peer.send(...numbered(30));
  running.made.write('hog', '');
  const line = await moved(running);
  assert.match(running.output.all, /\[full \d+\]/);
  assert.match(line, /"Handed over 30 WebSockets in/);
  for (const peer of peers) {
    await assertAnswers(peer, 30);
    peer.close();
  }
  assert.is((await running.stop()).status, 0);
});

unsampled(test)('three reloads at once move sockets with slow callbacks to the last workers', async () => {
  const running = await app();
  const peers = await open(20, running, '/ws/slow');
  for (const peer of peers) peer.send(...numbered(100));
  for (let round = 0; round < 3; round += 1) await reload(running);
  for (const peer of peers) {
    await assertAnswers(peer, 100);
    peer.close();
  }
  assert.is((await running.stop()).status, 0);
});

test.run();
