import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, project } from '../../harness/project.js';
import { post, rpc, stateless } from '../../harness/rpc.js';
import { unsampled } from '../../harness/sample.js';
import { connectSocket, type Peer } from '../../harness/socket.js';
import { di, module, postRoute, route, wsModule } from '../../harness/source.js';
import { reload, run, type Team, team, whoami, workersMain } from '../../harness/workers.js';

const SECRET = `process.env.SESSION_SECRET = 'a secret of at least 32 characters';`;
const config = (text: string, before = '') =>
  module('defineConfig', `${before}\nexport default defineConfig(${text});`);
const made = (files: Files) =>
  project({ 'main.ts': workersMain('workers: 2', SECRET), ...whoami, ...files }, 'js');

/** A plugin that counts in the memory of its peers, and sends them the sum. */
const HEARD = `import { peersOf } from 'fwkit/plugin';
const heard = {
  name: 'heard',
  apply(hooks) {
    hooks.serve.tapPromise('heard', async ({ runtime }) => {
      const peers = peersOf(runtime);
      peers.on('heard', (message) => console.log('[' + message.join(' ') + ']'));
      await peers.lock('heard', async () => {
        const memory = peers.memory('heard');
        await memory.add('count', 1, 60);
        peers.send('heard', [peers.count, 'count', (await memory.get('count')).fields.sum]);
      });
    });
  },
};`;

const together = suite<{ app: Team }>('workers together');
together.before(async (context) => {
  const text = config('{ mcp: { sessions: false }, plugins: [heard] }', HEARD);
  context.app = await team(made({ ...room, ...cart, ...tools, 'fwk.config.ts': text }));
});
together.after(async ({ app }) => void (await app.stop()));

const room: Files = {
  'ws/room.ts': wsModule(`({ send, join, publish, onMessage, onClose }) => {
       join('room');
       send(String(process.pid));
       onMessage((message) => {
         if (message === 'many') for (let at = 0; at < 2000; at++) publish('room', at + ' ' + 'x'.repeat(1000));
         else publish('room', message, { self: false });
       });
       onClose(() => publish('room', 'bye'));
     }`),
};

/** Two sockets, in two processes. */
async function apart({ url }: Team): Promise<[Peer, Peer]> {
  const one = await connectSocket(url, '/ws/room');
  const pid = await one.next();
  for (;;) {
    const other = await connectSocket(url, '/ws/room');
    if ((await other.next()) !== pid) return [one, other];
    other.close();
    assert.is(await one.next(), 'bye');
  }
}

together('rooms span workers: text and bytes, in order and once', async ({ app }) => {
  const [one, other] = await apart(app);
  const bytes = Buffer.from([0, 255, 128, 10]);
  one.send('text', bytes, 'é');
  assert.equal(await other.take(3), ['text', bytes, 'é']);
  const messages = Array.from({ length: 2000 }, (_, at) => `${at} ${'x'.repeat(1000)}`);
  other.send('many');
  // The sender of the first three got none of them back, and each of these once.
  assert.equal(await one.take(2000), messages);
  assert.equal(await other.take(2000), messages);
  one.send('last');
  assert.is(await other.next(), 'last');
  other.close();
  assert.is(await one.next(), 'bye');
  one.close();
});

const cart: Files = {
  'di/cart.ts': di('session', `() => ({ items: [] })`),
  'di/note.ts': di('session', `() => ({ at: 0 })`),
  'api/cart.ts': route('(req, res, ctx) => ({ pid: process.pid, items: ctx.cart.items, at: ctx.note.at })'),
  'api/add/[item].ts': postRoute(
    '(req, res, ctx) => { ctx.cart.items.push(req.params.item); return process.pid; }',
  ),
  'api/note.ts': route('post', '(req, res, ctx) => { ctx.note.at += 1; return process.pid; }'),
  'api/end.ts': route('post, endSession', '(req) => { endSession(req); }'),
};

/** A visitor whose requests alternate between the workers. */
function visitor(app: Team) {
  let cookie = '';
  return async (method: string, path: string) => {
    const answer = await app.ask(path, { method, headers: cookie ? { cookie } : {} });
    cookie = answer.headers['set-cookie']?.at(-1)?.split(';', 1)[0] ?? cookie;
    return answer;
  };
}

interface Cart {
  readonly pid: number;
  readonly items: string[];
  readonly at: number;
}

together('workers share sessions, which outlive a reload', async ({ app }) => {
  const visit = visitor(app);
  const writers = new Set<unknown>();
  for (const item of ['a', 'b', 'c', 'd']) writers.add((await visit('POST', `/api/add/${item}`)).json);
  assert.is(writers.size, 2);
  const read = async () => (await visit('GET', '/api/cart')).json as Cart;
  const [first, second] = [await read(), await read()];
  assert.is.not(first.pid, second.pid);
  assert.equal(
    [first.items, second.items],
    [
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'c', 'd'],
    ],
  );

  // Two values, written simultaneously by two processes: both are kept every time.
  for (let at = 1; at <= 50; at += 1) {
    const pids = await Promise.all([visit('POST', '/api/note'), visit('POST', `/api/add/${at}`)]);
    assert.is.not(pids[0].json, pids[1].json);
    const { items, at: noted } = await read();
    assert.is(noted, at);
    assert.is(items.length, 4 + at);
    // The next pair begins with the same worker again.
    await read();
  }

  app.child.kill('SIGHUP');
  await app.output.waitFor(/"Reloaded/);
  const after = await read();
  assert.not.ok([first.pid, second.pid].includes(after.pid));
  assert.is(after.items.length, 54);
  await visit('POST', '/api/end');
  assert.equal((await read()).items, []);
});

unsampled(together)('uses a custom session store', async () => {
  const store = `const kept = new Map();
    const store = {
      get: (id) => kept.get(id),
      set: (id, text) => void (kept.set(id, text), console.log('[kept by ' + process.pid + ']')),
      delete: (id) => void kept.delete(id),
      close: () => console.log('[closed ' + process.pid + ']'),
    };`;
  const app = await team(made({ ...cart, 'fwk.config.ts': config('{ session: { store } }', store) }));
  const pid = (await visitor(app)('POST', '/api/add/a')).json;
  assert.match(app.output.all, new RegExp(`\\[kept by ${pid}\\]`));
  const { status, stdout } = await app.stop();
  assert.is(status, 0);
  assert.is(stdout.match(/\[closed \d+\]/g)?.length, 2);
});

const tools: Files = {
  'mcp/tools/touch.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Changes the note.', handler: (_, ctx, call) => { call.notify('note://all'); return String(process.pid); } });`,
  'mcp/resources/note.ts': `import { resource } from 'fwkit/mcp';
export default resource({ uri: 'note://all', description: 'A note.', handler: () => 'text' });`,
};

together('MCP sessions with workers are reported once at boot', async () => {
  const { status, stderr } = await run(made(tools)).end;
  assert.is(status, 1);
  assert.is(
    stderr,
    'FWK518 MCP sessions do not work with 2 workers, because each worker has its own sessions. Set mcp: { sessions: false } in fwk.config, or serve with workers: 1.\nRead more: npx fwk docs FWK518\n',
  );
});

unsampled(together)('a single worker can have MCP sessions', async () => {
  const app = await team(made({ ...tools, 'main.ts': workersMain('workers: 1') }));
  assert.is((await post(app.url, rpc('tools/list'))).status, 400);
  assert.is((await app.stop()).status, 0);
});

together(
  'without sessions, any worker answers, and notifications reach listeners of other workers',
  async ({ app }) => {
    const [message, headers] = stateless('subscriptions/listen', {
      notifications: { resourceSubscriptions: ['note://all'] },
    });
    const abort = new AbortController();
    const stream = await fetch(`${app.url}/mcp`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
      signal: abort.signal,
    });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    const [call, named] = stateless('tools/call', { name: 'touch', arguments: {} });
    const callers = new Set<string | undefined>();
    while (callers.size < 2) {
      const answer = await app.ask('/mcp', {
        method: 'POST',
        headers: {
          ...named,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(call),
      });
      callers.add(/"text":"(\d+)"/.exec(answer.text)?.[1]);
    }
    let received = '';
    while ((received.match(/resources\/updated/g)?.length ?? 0) < 2)
      received += (await reader?.read())?.value ?? '';
    abort.abort();
  },
);

unsampled(together)('a reload ends streams of subscriptions, whose clients subscribe again', async () => {
  const app = await team(
    made({
      ...tools,
      'fwk.config.ts': config('{ mcp: { sessions: false }, http: { keepAliveTimeout: 600_000 } }'),
    }),
  );
  const [message, headers] = stateless('subscriptions/listen', {
    notifications: { resourceSubscriptions: ['note://all'] },
  });
  const accept = 'application/json, text/event-stream';
  const stream = await fetch(`${app.url}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept },
    body: JSON.stringify(message),
  });
  assert.is(stream.status, 200);
  await reload(app);
  await stream.text();
  assert.is((await app.stop()).status, 0);
});

together('a plugin exchanges messages with its peers', async ({ app }) => {
  await app.output.waitFor(/\[2 count 2\]/);
});

unsampled(together)('a shutdown closes the sockets of each worker', async ({ app }) => {
  const peers = await apart(app);
  assert.is((await app.stop()).status, 0);
  for (const peer of peers) assert.is((await peer.closed)[0], 1001);
});

together.run();
