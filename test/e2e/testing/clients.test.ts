import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestApp, TestAppOptions } from '../../../testkit/index.js';
import { rejected, untyped } from '../../harness/client.js';
import { type Files, layouts, project } from '../../harness/project.js';
import { createTestApp } from '../../harness/testing.js';
import { files } from './parity-project.js';

const sockets: Files = {
  'ws/typed.ts': `import { ws } from 'fwkit';
const text = { '~standard': { version: 1, vendor: 'test', validate: (value) =>
  typeof value === 'string' ? { value } : { issues: [{ message: 'is no text' }] } } };
export default ws({ receive: text, send: text }, ({ onJson, send }) => onJson((said) => send('You said ' + said)));`,
  'ws/chosen.ts': `import { ws } from 'fwkit';
export default ws({ protocols: ['b'] }, ({ req, send, protocol }) => send(protocol + ' of ' + req.header('sec-websocket-protocol')));`,
  'ws/silent.ts': `import { ws } from 'fwkit';
export default ws(({ onClose }) => onClose(({ code }) => process.emit('silent:closed', code)));`,
};

for (const layout of layouts) {
  const test = suite(layout);
  const made = project({ ...files, ...sockets }, layout);
  const within = async (
    act: (app: TestApp) => Promise<void>,
    options: TestAppOptions = { logger: false },
  ) => {
    const app = await createTestApp({ dir: made.root, ...options });
    try {
      await act(app);
    } finally {
      await app.close();
    }
  };

  test('visitors have their own cookies in requests, handshakes and the client', () =>
    within(async (app) => {
      const [ada, bob] = [app.visitor(), app.visitor({ headers: { 'x-name': 'Bob' } })];
      await ada.post('/api/login', { name: 'Ada' });
      const who = async (visitor: Pick<TestApp, 'get'>) =>
        ((await (await visitor.get('/api/me')).json()) as { who: string }).who;
      assert.equal([await who(ada), await who(bob), await who(app)], ['Ada', 'nobody', 'nobody']);
      assert.is((await rejected(bob.ws('/ws/rooms/tea'))).status, 401);
      const room = await ada.ws('/ws/rooms/tea');
      room.send({ text: 'hello' });
      assert.equal(await room.next(), { from: 'Ada', said: { text: 'hello' } });
      assert.is(ada.cookies.get('seen'), 'room', 'set by the handshake');
      const echo = await bob.ws('/ws/echo');
      assert.equal(await echo.next(), { hello: 'Bob' });
    }));

  test('a socket has ordered messages, bytes, JSON, its end and rejections', () =>
    within(async (app) => {
      const echo = await app.ws('/ws/echo', { headers: { 'x-name': 'Ada' } });
      assert.equal(await echo.next(), { hello: 'Ada' });
      for (const message of ['text', { a: 1 }, Buffer.from([1, 2])]) echo.send(message);
      assert.equal(
        [await echo.next(), await echo.next(), await echo.next()],
        ['text', { a: 1 }, Buffer.from([1, 2])],
      );
      echo.send('leave');
      const all: unknown[] = [];
      for await (const message of echo) all.push(message);
      assert.equal([all, await echo.closed], [[], { code: 1008, reason: 'Members only' }]);
      assert.match((await rejected(echo.next())).message, 'closed with 1008 "Members only"');
      assert.throws(() => echo.send('late'), 'WS /ws/echo is closed');

      const typed = await app.ws('/ws/typed?x=1');
      typed.send('"quoted"');
      assert.is(await typed.next(), 'You said "quoted"');
      typed.send({});
      assert.is((await typed.closed).code, 1007);

      const chosen = await app.ws('/ws/chosen', { protocols: ['a', 'b'] });
      assert.is(await chosen.next(), 'b of a,b');
      const silent = await app.ws('/ws/silent');
      const ended = once(process, 'silent:closed');
      silent.terminate();
      assert.equal([await ended, await silent.closed], [[1006], { code: 1006, reason: '' }]);

      const refused = await rejected(app.ws('/ws/nothing'));
      assert.is(refused.name, 'TestRefusal');
      assert.match(refused.message, 'WS /ws/nothing was answered with 404 and not with 101');
      const body = (await (refused.response as Response).json()) as { status: number };
      assert.is(body.status, 404);
    }));

  test('the typed client has sockets, too', () =>
    within(async (app) => {
      const socket = untyped(app.api)('/ws/echo').ws();
      for await (const message of socket) {
        assert.equal(message, { hello: 'you' });
        socket.close();
      }
    }));

  test('event streams are parsed, ended, resumed, left, aborted and rejected', () =>
    within(async (app) => {
      const all: unknown[] = [];
      for await (const event of await app.sse('/api/news', { lastEventId: '9' })) all.push(event);
      assert.equal(all, [
        { event: 'message', data: { n: 1, after: '9' }, id: '1' },
        { event: 'note', data: 'plain text', id: '2' },
      ]);
      const news = await app.sse('/api/news');
      assert.equal((await news.next()).id, '1');
      assert.equal((await news.next()).id, '2');
      assert.match(
        (await rejected(news.next())).message,
        'GET /api/news sent no further event: the stream has ended',
      );

      const clock = await app.sse('/api/clock');
      assert.is(clock.response.headers.get('content-type'), 'text/event-stream');
      const left = once(process, 'clock:left');
      for await (const { data } of clock) {
        assert.is(data, 'begun');
        break;
      }
      await left;
      const stop = new AbortController();
      const aborted = await app.sse('/api/clock', { signal: stop.signal });
      await aborted.next();
      const waiting = rejected(aborted.next());
      stop.abort();
      assert.is((await waiting).name, 'AbortError');

      const refused = await rejected(app.sse('/api/no-news'));
      assert.equal([refused.name, refused.status], ['TestRefusal', 403]);
      assert.match(refused.message, 'No news for you');
    }));

  test('MCP: tools, resources, prompts, sessions and errors', () =>
    within(async ({ mcp, visitor, errors }) => {
      const names = (await mcp.listTools()).map(({ name }) => name);
      assert.equal(names.toSorted(), ['add', 'count', 'fails']);
      const added = await mcp.callTool('add', { a: 1, b: 2 });
      assert.equal([JSON.parse(added.text), added.isError ?? false], [{ sum: 3 }, false]);
      assert.equal([(await mcp.callTool('count')).text, (await mcp.callTool('count')).text], ['I', 'II']);
      assert.is((await visitor().mcp.callTool('count')).text, 'I', 'a session of its own');
      assert.is((await mcp.callTool('add', { a: 'x' })).isError, true);
      assert.is((await mcp.callTool('fails')).isError, true);
      assert.match(String(errors[0]?.error), 'the tool failed');
      assert.is((await mcp.readResource('note://1'))[0]?.text, 'Buy tea');
      assert.equal(
        (await mcp.listPrompts()).map(({ name }) => name),
        ['ask'],
      );
      const { messages } = await mcp.getPrompt('ask', { topic: 'tea' });
      assert.is(messages[0]?.content.text, 'What of tea?');
      const unknown = await rejected(mcp.callTool('nothing'));
      assert.is(unknown.name, 'TestMcpError');
      const refused = await rejected(
        mcp.callTool('add', {}, { headers: { origin: 'https://evil.example' } }),
      );
      assert.equal([refused.name, refused.status], ['TestRefusal', 403]);
    }));

  test('errors are recorded and printed to stderr with their stack trace', async () => {
    const { error } = console;
    const shown: string[] = [];
    console.error = (...parts: unknown[]) =>
      void shown.push(parts.map((part) => (part instanceof Error ? part.stack : part)).join(' '));
    try {
      await within(async (app) => {
        assert.is((await app.get('/api/fails')).status, 500);
        assert.is((await app.get('/api/refused')).status, 418);
        assert.equal(
          app.errors.map(({ message }) => message),
          [`GET /api/fails failed in ${made.label('api/fails.get.ts')}`],
        );
        assert.match(String(Object(app.errors[0]?.error).stack), /api\/fails\.get\.[jt]s:2:/);
      }, {});
    } finally {
      console.error = error;
    }
    assert.is(shown.length, 1, shown.join('\n'));
    assert.match(
      shown[0] ?? '',
      /GET \/api\/fails failed in [\s\S]*the reason of the failure[\s\S]*fails\.get\.[jt]s:2:/,
    );
  });

  test('an upgrade to another protocol is ignored, and a request has the address of this machine', () =>
    within(async (app) => {
      const request = new Request('http://localhost/api/me', {
        headers: { upgrade: 'h2c', connection: 'upgrade' },
      });
      assert.equal(await (await app.fetch(request)).json(), {
        who: 'nobody',
        ip: '127.0.0.1',
        secure: 'http:',
      });
      assert.is(await app.run((ctx) => (ctx as { who?: string }).who), 'no request');
    }));

  test('a project without sockets reports so', async () => {
    const app = await createTestApp({
      dir: project({ 'api/x.get.ts': files['api/me.get.ts'] ?? '' }, layout).root,
    });
    try {
      assert.match(
        (await rejected(app.ws('/ws/x'))).message,
        'WS /ws/x cannot be opened: the app has no file under ws/',
      );
    } finally {
      await app.close();
    }
  });

  test.run();
}
