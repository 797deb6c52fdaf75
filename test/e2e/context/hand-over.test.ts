import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { project } from '../../harness/project.js';
import { running } from '../../harness/running.js';
import { module, route, service } from '../../harness/source.js';

const test = suite('hand-over');

/** A service that owns a TCP port, and answers there with `word`. */
const line = (word: string, more = '') =>
  module(
    'service',
    `import { createServer } from 'node:net';
     export default service(async (ctx, { keep, onStart }) => {
       const server = await keep('port', () => new Promise((resolve) => {
         console.log('[open]');
         const server = createServer().listen(0, 'localhost', () => resolve(server));
       }), (server) => { console.log('[close]'); server.close(); });
       const answer = (socket) => socket.end('${word}');
       onStart(() => { ${more} console.log('[begin ${word}]'); server.on('connection', answer); return () => server.off('connection', answer); });
       return { port: server.address().port };
     });`,
  );

async function received(port: unknown): Promise<string> {
  const socket = connect(Number(port), 'localhost').setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk) => (text += chunk));
  await once(socket, 'close');
  return text;
}

test('a port is handed over: the new version opens it, and the last one closes it', () =>
  running(
    {
      'services/line.ts': line('one'),
      'api/port.ts': route('get', '(req, res, ctx) => ctx.line?.port ?? null'),
      'api/x.ts': route('get', '() => 1'),
    },
    async ({ server, made, save, json }) => {
      const port = await json('/api/port');
      assert.is(await received(port), 'one');
      const printed = await save({ 'services/line.ts': line('two') });
      assert.not.match(printed, /\[(open|close)\]/);
      await server.waitFor(/\[begin two\]/);
      assert.is(await json('/api/port'), port);
      await server.waitFor(/\[begin two\]/);
      assert.is(await received(port), 'two');

      const from = server.output.mark();
      made.write('services/line.ts', line('three', `throw new Error('no queue');`));
      await server.waitFor(/services\/line\.[jt]s:\d+: failed to start: no queue\./, from);
      await server.waitFor(/still serving the last good version/, from);
      assert.is(await received(port), 'two');

      await save({ 'services/line.ts': line('four') });
      await server.waitFor(/\[begin four\]/, from);
      assert.is(await received(port), 'four');
      assert.is(server.output.all.split('[open]').length, 2);
      made.remove('services/line.ts');
      await server.waitFor(/\[close\]/, from);
    },
  ));

/** A service that prints when it begins and when it stops. */
const consumer = (name: string) =>
  service(`(ctx, { onStart, onDestroy }) => {
       onStart(() => { console.log('[begin ${name}]'); return () => console.log('[stop ${name}]'); });
       onDestroy(() => console.log('[destroy ${name}]'));
       return '${name}';
     }`);

test('a version stops before the next one starts, even if a request still needs it', () =>
  running(
    {
      'services/consumer.ts': consumer('one'),
      'api/slow.ts': route(
        `async (req, res, ctx) => { await new Promise((go) => { globalThis.go = go; console.log('[slow]'); }); return ctx.consumer; }`,
      ),
      'api/go.ts': route('get', '() => { globalThis.go(); return 1; }'),
    },
    async ({ server, save, json }) => {
      await server.waitFor(/\[begin one\]/);
      const slow = json('/api/slow');
      await server.waitFor(/\[slow\]/);
      const printed = await save({ 'services/consumer.ts': consumer('two') });
      assert.match(printed, /\[stop one\]\n\[begin two\]\n/);
      assert.not.match(server.output.all, '[destroy one]');
      const from = server.output.mark();
      await json('/api/go');
      assert.is(await slow, 'one');
      await server.waitFor(/\[destroy one\]/, from);
    },
  ));

test('no service starts if the port is in use', () =>
  running({ 'api/x.ts': route('get', '() => 1') }, async ({ server }) => {
    const second = project({
      'services/consumer.ts': consumer('second'),
      'api/x.ts': route('get', '() => 2'),
    });
    const { status, stdout, stderr } = await fwk(second, 'dev', '--port', new URL(server.url).port);
    assert.is(status, 1);
    assert.match(stderr, /FWK208/);
    assert.not.match(stdout, '[begin');
  }));

const library = (flag: boolean, more = '') => `export const flag = ${flag};\n${more}`;

const guarded = {
  'lib/flag.ts': library(false),
  'api/open.ts': `import { flag } from '../lib/flag.js';\n${module('get', `export default get(() => 'answered').meta({ closed: flag });`)}`,
  'middlewares/1.guard.ts': module(
    'error, middleware',
    'export default middleware((req, res, ctx, next) => { if (req.route.meta.closed) throw error(403, "closed"); return next(); });',
  ),
};

test('values that an edit elsewhere changes apply from the next request on', () =>
  running(guarded, async ({ made, server }) => {
    const status = async () => (await request(server.url, '/api/open')).status;
    assert.is(await status(), 200);
    for (const flag of [true, false, true, false]) {
      made.write('lib/flag.ts', library(flag));
      assert.is(await status(), flag ? 403 : 200);
    }
  }));

test('the last good version answers if an edit elsewhere breaks the project, also before the check ends', () =>
  running(
    { ...guarded, 'lib/flag.ts': library(false, 'export const name = 1;\n') },
    async ({ made, server, save }) => {
      for (const broken of [
        'export const other = 1;',
        library(false, 'throw new Error("not now");'),
        library(false, 'export const = 2;'),
      ]) {
        const from = server.output.mark();
        made.write('lib/flag.ts', broken);
        for (let turn = 0; turn < 20; turn++) {
          const { status, text } = await request(server.url, '/api/open');
          assert.equal([status, text], [200, '"answered"']);
        }
        await server.waitFor(/still serving the last good version/, from);
        await save({
          'lib/flag.ts': library(false, `// after ${broken.length}\nexport const n = ${broken.length};`),
        });
      }
    },
  ));

test('a kept service finds values that are added later, and reads the newest ones', () =>
  running(
    {
      'services/late.ts': service(`(ctx) => ({ word: () => ctx.words?.word ?? 'none' })`),
      'api/word.ts': route('get', '(req, res, ctx) => ctx.late.word()'),
    },
    async ({ save, json }) => {
      const words = (word: string) => service(`() => ({ word: '${word}' })`);
      assert.is(await json('/api/word'), 'none');
      for (const word of ['first', 'second', 'third']) {
        await save({ 'services/words.ts': words(word) });
        assert.is(await json('/api/word'), word);
      }
    },
  ));

test('the terminal lists added and removed routes and the number of changed modules', () =>
  running(
    { 'api/x.ts': route('get', '() => 1'), 'lib/flag.ts': library(true) },
    async ({ made, server, save }) => {
      const from = server.output.mark();
      await save({ 'api/y.ts': `import '../lib/flag.js';\n${route('post', '() => 2')}` });
      await server.waitFor(/^ {2}\+ POST \/api\/y$/m, from);
      assert.match(
        await save({ 'lib/flag.ts': library(false) }),
        /reloaded .*flag\.[jt]s \(2 modules\) in \d+ ms/,
      );
      made.remove('api/y.ts');
      await server.waitFor(/^ {2}- POST \/api\/y$/m, from);
    },
  ));

test('reloads a CommonJS file, also one that another file requires, and after a mistake', () =>
  running(
    {
      'src/lib/one.cjs': 'exports.one = 1;',
      'src/lib/old.cjs': "exports.old = require('./one.cjs').one;",
      'api/x.ts': `import { old } from '../lib/old.cjs';\n${route('get', '() => old')}`,
    },
    async ({ made, server }) => {
      for (const [text, report, value] of [
        ['exports.one = 2;', /reloaded/, 2],
        ['exports.one = ;', /still serving the last good version/, 2],
        ['exports.one = 3;', /reloaded/, 3],
      ] as const) {
        const from = server.output.all.length;
        made.write('src/lib/one.cjs', text);
        await server.waitFor(report, from);
        assert.is(await (await server.fetch('/api/x')).json(), value);
      }
    },
  ));

test.run();
