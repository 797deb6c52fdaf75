import * as assert from 'uvu/assert';
import { edit } from '../../harness/edit.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { connectSocket } from '../../harness/socket.js';
import { configFile, di, module, tells, wsModule } from '../../harness/source.js';

const room = (word: string) =>
  wsModule(`({ params, ctx, join, publish, onMessage, onClose, send }) => {
       join(params.room);
       send('${word} hello');
       let count = 0;
       const timer = setInterval(() => send('${word} tick'), 1e6);
       onMessage(async (message) => {
         if (message === 'ctx') return void send(ctx.visitor.id);
         if (message === 'hold') { await globalThis.held; send('${word} held'); return; }
         publish(params.room, '${word} ' + message + ' ' + ++count);
       });
       onClose(({ code }) => { clearInterval(timer); console.log('[${word} ended ' + code + ']'); });
     }`);

const counter = (word: string, accepts: boolean) =>
  module(
    'ws',
    `const validate = (value) => value.count && !${accepts} ? { issues: [{ message: 'no' }] } : { value: { count: value.count ?? 0 } };
     const state = { '~standard': { version: 1, vendor: 'test', validate } };
     export default ws({ state }, ({ state, send, onMessage }) => onMessage(() => send('${word}' + ++state.count)));`,
  );

const files: Files = {
  'ws/counter.ts': counter('', true),
  'ws/rooms/[room].ts': room('one'),
  'ws/gone.ts': wsModule(`({ send, onMessage }) => onMessage((m) => { send(m); })`),
  'ws/fails.ts': wsModule(`({ send, onMessage }) => onMessage((m) => { send(m); })`),
  'ws/refused.ts': wsModule(`({ send, onMessage }) => onMessage((m) => { send(m); })`),
  'di/visitor.ts': di(
    'request',
    `(ctx, { onDestroy }) => {
       onDestroy(() => console.log('[visitor gone]'));
       return { id: 'visitor ' + Math.random() };
     }`,
  ),
  'api/hold.get.ts': tells('get', 'hold').replace(
    'export',
    'globalThis.held = new Promise((resolve) => { globalThis.release = resolve; });\nexport',
  ),
  'api/release.get.ts': module(
    'get',
    `export default get(() => { globalThis.release(); return 'released'; });`,
  ),
  'api/version.ts': module('get', `export default get(() => 0);`),
};

served(files, (test, site) => {
  const { project } = site;
  const open = (path: string) => connectSocket(site.dev.url, path);
  let version = 0;
  /** Changes something, and waits until it is served. */
  const change = async (write: () => void) => {
    version += 1;
    await edit(
      site,
      () => {
        write();
        project.write('api/version.ts', module('get', `export default get(() => ${version});`));
      },
      '/api/version',
      version,
    );
  };

  test('a connection stays, and its messages go to the new code in a fresh scope', async () => {
    const from = site.dev.output.mark();
    const [ada, bob] = [await open('/ws/rooms/a'), await open('/ws/rooms/a')];
    assert.equal([await ada.next(), await bob.next()], ['one hello', 'one hello']);
    assert.is(await ada.send('x').next(), 'one x 1');
    assert.is(await bob.next(), 'one x 1');
    const before = await ada.send('ctx').next();
    await change(() => project.write('ws/rooms/[room].ts', room('two')));
    assert.equal([await ada.next(), await bob.next()], ['two hello', 'two hello']);
    await site.dev.waitFor(/\[one ended 1012\][\s\S]*\[one ended 1012\]/, from);
    await site.dev.waitFor(/\[visitor gone\]/, from);
    assert.is(await ada.send('y').next(), 'two y 1');
    assert.is(await bob.next(), 'two y 1', 'in the room again, and once');
    assert.is.not(await ada.send('ctx').next(), before);
    bob.close();
    await site.dev.waitFor(/\[two ended 1005\]/, from);
    ada.close();
  });

  test('the state stays when the schema of the new code accepts it; otherwise, the connection closes', async () => {
    const peer = await open('/ws/counter');
    assert.is(await peer.send('x').next(), '1');
    await change(() => project.write('ws/counter.ts', counter('new ', true)));
    assert.is(await peer.send('x').next(), 'new 2');
    await change(() => project.write('ws/counter.ts', counter('', false)));
    assert.equal(await peer.closed, [1012, 'The new code does not accept this connection']);
  });

  test('no message is lost or reordered while the code changes', async () => {
    await site.raw('/api/hold');
    const peer = await open('/ws/rooms/order');
    const hello = await peer.next();
    const [word] = String(hello).split(' ');
    peer.send('hold', '1', '2');
    await change(() => project.write('ws/rooms/[room].ts', room('three')));
    peer.send('3');
    await site.raw('/api/release');
    assert.equal(await peer.take(5), [`${word} held`, 'three hello', 'three 1 1', 'three 2 2', 'three 3 3']);
    peer.close();
  });

  test('edits in quick succession end with the last code', async () => {
    const peer = await open('/ws/rooms/quick');
    await peer.next();
    for (const word of ['four', 'five', 'six']) project.write('ws/rooms/[room].ts', room(word));
    await change(() => project.write('ws/rooms/[room].ts', room('seven')));
    for (let came = await peer.next(); came !== 'seven hello'; came = await peer.next())
      assert.match(String(came), /hello/);
    assert.is(await peer.send('z').next(), 'seven z 1');
    peer.close();
  });

  test('a broken edit changes nothing', async () => {
    const peer = await open('/ws/fails');
    const from = site.dev.output.mark();
    project.write('ws/fails.ts', 'export default 1;');
    await site.dev.waitFor(/has a default export that is not wrapped\. Wrap the handler in ws\(\)/, from);
    await site.dev.waitFor(/still serving the last good version/, from);
    assert.is(await peer.send('x').next(), 'x');
    await change(() =>
      project.write('ws/fails.ts', wsModule(`({ send, onMessage }) => onMessage(() => { send('mended'); })`)),
    );
    assert.is(await peer.send('x').next(), 'mended');
    peer.close();
  });

  test('new code that fails or rejects closes with 1012', async () => {
    const [fails, refused] = [await open('/ws/fails'), await open('/ws/refused')];
    await change(() => {
      project.write('ws/fails.ts', wsModule(`() => { throw new Error('new code'); }`));
      project.write(
        'ws/_middleware.ts',
        module(
          'middleware, error',
          `export default middleware((req, res, ctx, next) => { if (req.path === '/ws/refused') throw error(401, 'No'); return next(); });`,
        ),
      );
    });
    assert.is((await fails.closed)[0], 1012);
    assert.is((await refused.closed)[0], 1012);
  });

  test('a deleted route closes with 1012, and so does a disabled plugin', async () => {
    const gone = await open('/ws/gone');
    await change(() => project.remove('ws/gone.ts'));
    assert.is((await gone.closed)[0], 1012);
    const stays = await open('/ws/rooms/off');
    await change(() => project.write('fwk.config.ts', configFile(`{ disable: ['ws'] }`)));
    assert.is((await stays.closed)[0], 1012);
    await change(() => project.remove('fwk.config.ts'));
    const back = await open('/ws/rooms/back');
    assert.match(String(await back.next()), /hello/);
    back.close();
  });
});
