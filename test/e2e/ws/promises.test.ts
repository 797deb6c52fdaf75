import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { production } from '../../harness/production.js';
import { connectSocket } from '../../harness/socket.js';
import { module, route } from '../../harness/source.js';

const socket = (handler: string) => module('ws, error', `export default ws(${handler});`);
const LATER = 'await new Promise(setImmediate);';

/** Failures, and how the connection is closed for them. */
const failing: Readonly<Record<string, string>> = {
  'ws/both.ts': socket(`({ onMessage }) => {
    onMessage(async () => { ${LATER} throw new Error('first of both'); });
    onMessage(() => { throw new Error('second of both'); });
  }`),
  'ws/thenable.ts': socket(
    `({ onMessage }) => onMessage(() => ({ then(resolve, reject) { setImmediate(() => reject(new Error('of a thenable'))); } }))`,
  ),
  'ws/throwing-then.ts': socket(
    `({ onMessage }) => onMessage(() => ({ then() { throw new Error('of a then'); } }))`,
  ),
  'ws/getter.ts': socket(
    `({ onMessage }) => onMessage(() => ({ get then() { throw new Error('of a getter'); } }))`,
  ),
  'ws/json.ts': socket(`({ onJson }) => onJson(async () => { ${LATER} throw new Error('of JSON'); })`),
  'ws/proxy.ts': socket(
    `({ onMessage }) => onMessage(async () => { ${LATER} throw new Proxy({}, { has() { throw new Error('of a proxy'); }, get() { throw new Error('of a proxy'); } }); })`,
  ),
  'ws/setup.ts': socket(
    `async ({ onMessage }) => { onMessage(() => {}); ${LATER} throw new Error('of a setup'); }`,
  ),
  'ws/setup-thenable.ts': socket(`() => ({ then(resolve, reject) { reject(new Error('of a setup')); } })`),
};

const files = {
  ...failing,
  'ws/closer.ts': socket(`({ onClose }) => {
    onClose(async () => { ${LATER} throw new Error('of the first closer'); });
    onClose(() => ({ then(resolve, reject) { reject(new Error('of the second closer')); } }));
    onClose(() => console.log('[closed]'));
  }`),
  'ws/away.ts': `import { ws } from 'fwkit';
import { Unavailable } from 'fwkit/plugin';
export default ws(() => { throw new Unavailable('the sessions are away'); });`,
  'ws/order.ts': socket(`({ send, onMessage }) => onMessage((message) => {
    if (message !== 'slow') return void send(message);
    // A then() that returns nothing.
    return { then(resolve) { setTimeout(() => { send(message); resolve(); }, 50); } };
  })`),
  'api/alive.ts': route('get', '() => true'),
};

const test = suite('promises');
const site = await production(files);
test.after(() => site.stop());

for (const file of Object.keys(failing)) {
  const path = `/${file.replace(/\.ts$/, '')}`;
  test(`${path} closes with 1011 and is logged, and the process keeps running`, async () => {
    const from = site.output.mark();
    const peer = await connectSocket(site.url, path);
    peer.send('{}');
    assert.equal(await peer.closed, [1011, 'Something went wrong on the server']);
    await site.output.waitFor(new RegExp(`WS ${path} failed in`), from);
    assert.is((await site.raw('/api/alive')).json, true);
  });
}

test('a temporary error closes with 1013: try again later', async () => {
  const from = site.output.mark();
  const [code] = await (await connectSocket(site.url, '/ws/away')).closed;
  assert.is(code, 1013);
  await site.output.waitFor(/WS \/ws\/away failed in[\s\S]*the sessions are away/, from);
});

test('all onClose callbacks run', async () => {
  const from = site.output.mark();
  (await connectSocket(site.url, '/ws/closer')).close();
  await site.output.waitFor(/of the first closer[\s\S]*of the second closer[\s\S]*\[closed\]/, from);
});

test('the next message waits for any thenable', async () => {
  const peer = await connectSocket(site.url, '/ws/order');
  peer.send('slow', 'quick');
  assert.equal(await peer.take(2), ['slow', 'quick']);
  peer.close();
});

test.run();
