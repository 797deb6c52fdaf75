import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Gate, gate } from '../../harness/gate.js';
import { request } from '../../harness/http.js';
import { type Running, sharing } from '../../harness/running.js';
import { connectSocket } from '../../harness/socket.js';
import { module, route, wsModule } from '../../harness/source.js';

const word = (text: string) => `export const word = '${text}';\n`;
const says = `import { word } from '../lib/word.js';\n${route('get', '() => word')}`;
/** A module whose check lasts until the test ends it, and the requests behind it. */
const slow = (url: string, behind: string, last: string) =>
  `import { word } from '../lib/word.js';
if (word !== 'one') await fetch('${url}');
${behind}
${last}`;
const echo = module(
  'ws',
  `import { word } from '../lib/word.js';
   export default ws(({ send, onMessage }) => { send(word + ' hello'); onMessage((m) => { send(word + ' ' + m); }); });`,
);
/** Checked after the endpoints of HTTP or of sockets; an import meanwhile waits for it. */
const places = {
  'api/slow.ts': route('get', `() => 'slow ' + word`),
  'ws/slow.ts': wsModule('() => {}'),
};
const BROKEN = 'export default get(';

const test = suite('unchecked versions');
const running = sharing(test);

/** Serves a first version, and a second that has answered but is still being checked. */
function unchecked(
  behind: string,
  act: (running: Running, held: Gate) => Promise<void>,
  place: keyof typeof places = 'api/slow.ts',
): Promise<void> {
  return gated((held) =>
    running(
      {
        'lib/word.ts': word('one'),
        'api/fast.ts': says,
        [place]: slow(held.url, behind, places[place]),
        'ws/echo.ts': echo,
      },
      async (served) => {
        assert.is(await served.json('/api/fast'), 'one');
        await act(served, held);
      },
    ),
  );
}

async function gated(act: (held: Gate) => Promise<void>): Promise<void> {
  const held = await gate();
  try {
    await act(held);
  } finally {
    held.close();
  }
}

/** Saves the second version; it is being checked then. */
async function second({ made }: Running, held: Gate): Promise<void> {
  made.write('lib/word.ts', word('two'));
  await held.reached();
}

async function breaks({ made, server }: Running, name = 'api/other.ts'): Promise<void> {
  const from = server.output.mark();
  made.write(name, BROKEN);
  await server.waitFor(/still serving the last good version/, from);
}

test('a broken edit does not restore a version older than the last one that answered', () =>
  unchecked('', async (served, held) => {
    const { json, made, server, save } = served;
    await second(served, held);
    assert.is(await json('/api/fast'), 'two');
    await breaks(served);
    assert.is(await json('/api/fast'), 'two');
    const page = await request(server.url, '/none', { headers: { accept: 'text/html' } });
    assert.match(page.text, 'src/api/other.ts:1: does not parse');
    const late = json('/api/slow');
    held.open();
    assert.is(await late, 'slow two');
    await breaks(served, 'api/another.ts');
    assert.is(await json('/api/fast'), 'two');
    made.remove('api/another.ts');
    await save({ 'api/other.ts': says });
    assert.is(await json('/api/other'), 'two');
    await save({ 'lib/word.ts': word('one') });
    assert.equal([await json('/api/fast'), await json('/api/slow')], ['one', 'slow one']);
  }));

test('a request that needs unchecked code gets its error', () =>
  unchecked(`if (word === 'two') throw new Error('not with two');`, async (served, held) => {
    const { json, server, save } = served;
    await second(served, held);
    assert.is(await json('/api/fast'), 'two');
    await breaks(served);
    held.open();
    const { status, text } = await request(server.url, '/api/slow');
    assert.is(status, 500);
    assert.match(text, 'not with two');
    assert.is(await json('/api/fast'), 'two');
    await save({ 'api/other.ts': says, 'lib/word.ts': word('one') });
    assert.is(await json('/api/slow'), 'slow one');
  }));

test('a deleted module still answers in the last good version while its importers are checked', () =>
  gated((held) =>
    running(
      {
        'lib/word.ts': word('one'),
        'api/fast.ts': says,
        'api/slow.ts': slow(held.url, '', places['api/slow.ts']),
        'api/z.ts': says,
      },
      async (served) => {
        const { json, made, save, server } = served;
        assert.is(await json('/api/z'), 'one');
        await second(served, held);
        assert.is(await json('/api/fast'), 'two');
        const from = server.output.mark();
        made.remove('lib/word.ts');
        await server.waitFor(/still serving the last good version/, from);
        held.open();
        assert.equal([await json('/api/fast'), await json('/api/z')], ['two', 'two']);
        assert.is(await json('/api/slow'), 'slow two');
        await save({ 'lib/word.ts': word('one') });
        assert.equal([await json('/api/fast'), await json('/api/z')], ['one', 'one']);
      },
    ),
  ));

test('a version with a known mistake is rolled back, even if clients have seen it', () =>
  unchecked(`if (word === 'two') throw new Error('not with two');`, async (served, held) => {
    const { json, server } = served;
    const from = server.output.mark();
    await second(served, held);
    assert.is(await json('/api/fast'), 'two');
    held.open();
    await server.waitFor(/not with two[\s\S]*still serving the last good version/, from);
    assert.is(await json('/api/fast'), 'one');
    await breaks(served);
    assert.is(await json('/api/fast'), 'one');
  }));

test('an unseen version is replaced by the next one', () =>
  unchecked('', async (served, held) => {
    await second(served, held);
    await breaks(served);
    held.open();
    assert.is(await served.json('/api/fast'), 'one');
  }));

test('socket messages wait until their version is known', () =>
  unchecked(
    '',
    async (served, held) => {
      const peer = await connectSocket(served.server.url, '/ws/echo');
      assert.is(await peer.next(), 'one hello');
      await second(served, held);
      peer.send('a');
      assert.is(await served.json('/api/fast'), 'two');
      const other = await connectSocket(served.server.url, '/ws/echo');
      other.send('b');
      assert.is(await served.json('/api/fast'), 'two');
      held.open();
      assert.equal(await peer.take(2), ['two hello', 'two a']);
      assert.equal(await other.take(2), ['two hello', 'two b']);
      assert.is(await peer.send('c').next(), 'two c');
      peer.close();
      other.close();
    },
    'ws/slow.ts',
  ));

test('waiting messages go to the previous version if the new one is rolled back', () =>
  unchecked(
    `if (word === 'two') throw new Error('not with two');`,
    async (served, held) => {
      const peer = await connectSocket(served.server.url, '/ws/echo');
      assert.is(await peer.next(), 'one hello');
      const from = served.server.output.mark();
      await second(served, held);
      peer.send('a');
      assert.is(await served.json('/api/fast'), 'two');
      const other = await connectSocket(served.server.url, '/ws/echo');
      other.send('b');
      assert.is(await served.json('/api/fast'), 'two');
      held.open();
      assert.is(await peer.next(), 'one a');
      assert.equal(await other.take(2), ['one hello', 'one b']);
      await served.server.waitFor(/still serving/, from);
      peer.close();
      other.close();
    },
    'ws/slow.ts',
  ));

test('messages sent before the end are handled, and a shutdown does not wait for the check', () =>
  unchecked(
    '',
    async (served, held) => {
      const peer = await connectSocket(served.server.url, '/ws/echo');
      assert.is(await peer.next(), 'one hello');
      await second(served, held);
      assert.is(await served.json('/api/fast'), 'two');
      peer.send('a');
      await served.server.stop();
      assert.is((await peer.closed)[0], 1001);
    },
    'ws/slow.ts',
  ));

test.run();
