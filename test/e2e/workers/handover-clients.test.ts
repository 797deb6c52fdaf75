import { rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handshakeHead } from '../../fuzz/frames.js';
import { tcp } from '../../harness/http.js';
import { connectSocket } from '../../harness/socket.js';
import { configFile, module, service } from '../../harness/source.js';
import { made, reload, type Team, team } from '../../harness/workers.js';

// Clients that end their WebSocket while it moves to another worker.

const files = {
  'ws/talk.ts': module(
    'ws',
    `import { untilGo } from '../lib/go.js';
     const state = { '~standard': { version: 1, vendor: 'test', validate: () => ({ value: {} }) } };
     const log = (text) => console.log('[' + text + ' ' + process.pid + ']');
     export default ws({ state }, ({ signal, onMessage, onClose }) => {
       let isSlow = false;
       signal.addEventListener('abort', () => log('leaving'));
       onMessage(async (message) => {
         if (message === 'slow close') isSlow = true;
         log('begins ' + message);
         if (message === 'wait') await untilGo();
         log('ends ' + message);
       });
       onClose(async ({ code }) => {
         log('closing ' + code);
         if (isSlow) await untilGo();
         log('closed ' + code);
       });
       log('open');
     });`,
  ),
  // A WebSocket that has left its worker arrives at the next one when the file `go` exists. If a file `lost` exists, it never arrives.
  'services/moves.ts': service(`() => {
    const { send } = process;
    process.send = (message, ...rest) => {
      if (message.fwkit !== 'moving' || message.parcel.kind !== 'WebSocket')
        return send.call(process, message, ...rest);
      console.log('[moving]');
      if (existsSync('lost')) setImmediate(rest.at(-1), new Error('lost'));
      else void untilGo().then(() => send.call(process, message, ...rest));
      return true;
    };
    return {};
  }`).replace(
    'import',
    `import { existsSync } from 'node:fs';\nimport { untilGo } from '../lib/go.js';\nimport`,
  ),
};

const app = (http = '') =>
  team(made({ ...files, 'fwk.config.ts': configFile(`{ http: { ${http} }, log: { access: true } }`) }));

/** Opens a WebSocket. Resolves with the process that serves it, too. */
async function talk({ url, output }: Team, ...messages: readonly string[]) {
  const from = output.mark();
  const peer = await connectSocket(url, '/ws/talk');
  const [, pid = ''] = await output.waitFor(/\[open (\d+)\]/, from);
  peer.send(...messages);
  for (const message of messages) await output.waitFor(new RegExp(`\\[begins ${message} `), from);
  return { peer, pid, from };
}

/** The close codes in the next `count` lines of the access log. */
async function closeCodes({ output }: Team, count: number, from: number): Promise<number[]> {
  const [lines] = await output.waitFor(new RegExp(`(?:\\{.*"closeCode".*\\}[\\s\\S]*?){${count}}`), from);
  return [...lines.matchAll(/"closeCode":(\d+)/g)].map(([, code]) => Number(code));
}

/** What the handlers have logged. */
const logged = ({ output }: Team, from: number): string[] =>
  [...output.all.slice(from).matchAll(/\[((?:begins|ends|closing|closed) .*)\]/g)].map(
    ([, text = '']) => text,
  );

const test = suite<{ app: Team }>('workers handover clients');
test.before(async (context) => {
  context.app = await app();
});
test.after.each(({ app }) => rmSync(path.join(app.made.root, 'go'), { force: true }));
test.after(async ({ app }) => {
  assert.is((await app.stop()).status, 0);
  assert.is(app.output.stderr, '');
  const count = (text: string) => app.output.all.split(text).length - 1;
  assert.is(count(' closed 101"'), count(' opened 101"'));
});

test('a client that closes while a callback runs: the old worker handles its messages and its code', async ({
  app,
}) => {
  const { peer, pid, from } = await talk(app, 'wait');
  await reload(app);
  await app.output.waitFor(/\[leaving/, from);
  peer.send('last').close(4001);
  assert.is((await peer.closed)[0], 4001);
  app.made.write('go', '');
  await app.output.waitFor(/\[closed/, from);
  const texts = ['begins wait', 'ends wait', 'begins last', 'ends last', 'closing 4001', 'closed 4001'];
  assert.equal(
    logged(app, from),
    texts.map((text) => `${text} ${pid}`),
  );
  assert.equal(await closeCodes(app, 1, from), [4001]);
});

test('a client that closes between two workers: the new worker handles its messages and its code', async ({
  app,
}) => {
  const { peer, pid, from } = await talk(app);
  await reload(app);
  await app.output.waitFor(/\[moving\]/, from);
  peer.send('last').close(4001);
  app.made.write('go', '');
  assert.is((await peer.closed)[0], 4001);
  await app.output.waitFor(/\[closed 4001/, from);
  const [, next] = [...app.output.all.slice(from).matchAll(/\[open (\d+)\]/g)].map(([, opener]) => opener);
  assert.equal(logged(app, from), [
    `closing 1012 ${pid}`,
    `closed 1012 ${pid}`,
    ...['begins last', 'ends last', 'closing 4001', 'closed 4001'].map((text) => `${text} ${next}`),
  ]);
  assert.equal(await closeCodes(app, 1, from), [4001]);
});

test('connections that end or break between two workers close in the new worker', async ({ app }) => {
  const { peer, from } = await talk(app);
  const broken = await tcp(app.url);
  broken.write(handshakeHead('/ws/talk'));
  await app.output.waitFor(/(?:\[open[\s\S]*){2}/, from);
  await reload(app);
  await app.output.waitFor(/(?:\[moving\][\s\S]*){2}/, from);
  peer.socket.terminate();
  broken.resetAndDestroy();
  app.made.write('go', '');
  await app.output.waitFor(/(?:\[closed 1006[\s\S]*){2}/, from);
  assert.equal(await closeCodes(app, 2, from), [1006, 1006]);
});

test('a connection that ends while onClose runs in the old worker does not move', async ({ app }) => {
  const { peer, pid, from } = await talk(app, 'slow close');
  await reload(app);
  await app.output.waitFor(/\[closing/, from);
  peer.socket.terminate();
  assert.equal(await closeCodes(app, 1, from), [1006]);
  app.made.write('go', '');
  await app.output.waitFor(new RegExp(`\\[destroyed ${pid}\\]`), from);
  assert.equal(logged(app, from).slice(2), [`closing 1012 ${pid}`, `closed 1012 ${pid}`]);
  assert.not.match(app.output.all.slice(from), '[moving]');
});

test('a connection that ends while no worker takes it has a line in the access log', async () => {
  const running = await app('drainLimit: 300');
  const { peer, pid, from } = await talk(running);
  running.made.write('lost', '');
  await reload(running);
  await running.output.waitFor(/\[moving\]/, from);
  peer.socket.terminate();
  await running.output.waitFor(/"Closed 1 WebSocket: 1 that no worker took \(ws\/talk\.js\)\."/, from);
  assert.equal(await closeCodes(running, 1, from), [1006]);
  assert.equal(logged(running, from), [`closing 1012 ${pid}`, `closed 1012 ${pid}`]);
  assert.is((await running.stop()).status, 0);
});

test.run();
