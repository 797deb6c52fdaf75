import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { nodes } from '../../harness/nodes.js';
import { project } from '../../harness/project.js';
import { production } from '../../harness/settings.js';
import { connectSocket } from '../../harness/socket.js';
import { middleware, module, sseRoute, wsModule } from '../../harness/source.js';

/** Runs everything that `event` starts in a store with the request's id. */
const main = (event: string) => `import { AsyncLocalStorage } from 'node:async_hooks';
import { Server } from 'node:http';
import { bootstrap } from 'fwkit';
const store = new AsyncLocalStorage();
globalThis.id = () => store.getStore() ?? 'none';
const { emit } = Server.prototype;
Server.prototype.emit = function (name, ...args) {
  if (name !== '${event}') return emit.call(this, name, ...args);
  return store.run(args[0].headers['x-id'], () => emit.call(this, name, ...args));
};
console.log('listening on', (await bootstrap()).join());
`;

const files = {
  'middlewares/1.wait.ts': middleware('async (req, res, ctx, next) => { await null; return next(); }'),
  'ws/say.ts': wsModule(`async ({ send, onMessage, onJson, onClose, signal }) => {
       const first = id();
       signal.addEventListener('abort', () => console.log('[aborted ' + id() + ']'));
       onMessage(async () => { const before = id(); await new Promise(setImmediate); send([first, before, id()]); });
       onJson(() => { send(['json', id()]); });
       onClose(async () => { const before = id(); await null; console.log('[closed ' + before + ' ' + id() + ']'); });
       await new Promise(setImmediate);
     }`),
  'api/events.ts': sseRoute(`async ({ send, signal }) => {
       const before = id();
       signal.addEventListener('abort', () => console.log('[aborted ' + id() + ']'));
       await send([before, id()]);
       return () => console.log('[closed ' + id() + ']');
     }`),
  'api/generated.ts': module(
    'get',
    `export default get(async function* () { yield id(); await new Promise(setImmediate); yield ' ' + id(); });`,
  ),
};

for (const [name, node] of nodes())
  for (const event of ['request', 'upgrade']) {
    const test = suite(`${name}, ${event}`);
    let server: Awaited<ReturnType<typeof production>>;
    test.before(async () => {
      server = await production(project({ ...files, 'main.ts': main(event) }, 'js'), 'main.js', node);
    });
    test.after(async () => {
      await server.stop();
    });

    test('callbacks of a socket', async () => {
      const from = server.output.mark();
      const [a, b] = await Promise.all(
        ['a', 'b'].map((id) => connectSocket(server.url, '/ws/say', { headers: { 'x-id': id } })),
      );
      for (const [peer, id] of [
        [a, 'a'],
        [b, 'b'],
        [a, 'a'],
      ] as const) {
        peer?.send('1', '2');
        for (let index = 0; index < 2; index += 1) {
          assert.equal(await peer?.json(), ['json', id]);
          assert.equal(await peer?.json(), [id, id, id]);
        }
      }
      a?.close();
      await server.output.waitFor(/\[aborted a\][\s\S]*\[closed a a\]/, from);
      b?.socket.terminate();
      await server.output.waitFor(/\[aborted b\][\s\S]*\[closed b b\]/, from);
    });

    if (event === 'request')
      test('event streams and generators', async () => {
        const from = server.output.mark();
        const connection = await connect(server.url);
        // Both requests use the same connection: the end of the second must not run in the context of the first.
        connection.send('GET /api/generated HTTP/1.1\r\nHost: localhost\r\nX-Id: a\r\n\r\n');
        assert.match(await connection.read(/\r\n0\r\n/), /a\r\n[\s\S]* a\r\n/);
        connection.send('GET /api/events HTTP/1.1\r\nHost: localhost\r\nX-Id: b\r\n\r\n');
        assert.match(await connection.read(/\n\n/), 'data: ["b","b"]');
        connection.close();
        await server.output.waitFor(/\[aborted b\][\s\S]*\[closed b\]/, from);
      });

    test.run();
  }
