import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dev, dev } from '../../harness/fwk.js';
import { type Gate, gate } from '../../harness/gate.js';
import { request } from '../../harness/http.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { module, route, service, textRoute } from '../../harness/source.js';

const word = (text: string) => `export const word = '${text}';\n`;

/** A module that waits for the test once there is a file `wait`. */
const waits = (url: string, text: string) =>
  `import { existsSync } from 'node:fs';
if (existsSync('wait')) await fetch('${url}');
${text}`;

interface Again {
  readonly made: Project;
  readonly held: Gate;
  readonly server: Dev;
  json(path: string): Promise<unknown>;
}

/** Starts once and ends, has `between` change the project, starts again and has `act` look at that. */
async function again(
  files: (url: string) => Files,
  between: (made: Project) => void,
  act: (again: Again) => Promise<void>,
): Promise<void> {
  const held = await gate();
  try {
    const made = project(files(held.url));
    await (await dev(made)).stop();
    between(made);
    const server = await dev(made);
    try {
      await act({ made, held, server, json: async (path) => (await request(server.url, path)).json });
    } finally {
      held.open();
      await server.stop();
    }
  } finally {
    held.close();
  }
}

const slowAndFast = (url: string): Files => ({
  'api/fast.ts': textRoute('fast'),
  'api/slow.get.ts': waits(url, textRoute('slow')),
});
const wait = (made: Project) => made.write('wait', '');

const test = suite('a second start');

test('answers and prints its URL before all routes are imported', () =>
  again(slowAndFast, wait, async ({ held, json }) => {
    assert.is(await json('/api/fast'), 'fast');
    await held.reached();
    assert.is(await json('/api/fast'), 'fast');
    const slow = json('/api/slow');
    held.open();
    assert.is(await slow, 'slow');
  }));

test('serves a save while routes are being verified', () =>
  again(slowAndFast, wait, async ({ held, json, made, server }) => {
    await held.reached();
    made.write('api/fast.ts', textRoute('faster'));
    assert.is(await json('/api/fast'), 'faster');
    made.remove('wait');
    held.open();
    await server.waitFor(/reloaded .*fast\.ts/);
  }));

test('serves a save of a route that was not verified yet', () =>
  again(slowAndFast, wait, async ({ held, json, made, server }) => {
    await held.reached();
    made.write('api/fast.ts', textRoute('faster'));
    assert.is(await json('/api/fast'), 'faster');
    made.write('api/slow.get.ts', textRoute('changed'));
    assert.is(await json('/api/slow'), 'changed');
    const from = server.output.mark();
    made.write('api/slow.ts', route('post', `() => 'posted'`));
    await server.waitFor(/\+ POST \/api\/slow/, from);
    assert.is((await request(server.url, '/api/slow', { method: 'POST' })).json, 'posted');
  }));

test('imports changed files first, and reports their mistakes', () =>
  again(
    slowAndFast,
    (made) => {
      made.write('api/fast.ts', 'export default get(');
      made.write('api/new.ts', textRoute('new'));
      made.remove('api/slow.get.ts');
    },
    async ({ made, server, json }) => {
      await server.waitFor(/src\/api\/fast\.ts:1: does not parse/);
      await server.waitFor(/fwk dev waits for edits/);
      assert.is((await request(server.url, '/api/new')).status, 500);
      made.write('api/fast.ts', textRoute('mended'));
      await server.waitFor(/reloaded /);
      assert.equal([await json('/api/fast'), await json('/api/new')], ['mended', 'new']);
      assert.is((await request(server.url, '/api/slow')).status, 404);
    },
  ));

const withWord: Files = {
  'lib/word.ts': word('one'),
  'api/fast.ts': textRoute('fast'),
  'api/word.ts': `import { word } from '../lib/word.js';\n${route('get', '() => word')}`,
};

test('reports mistakes in modules that a route imports soon after the start', () =>
  again(
    () => withWord,
    (made) => made.write('lib/word.ts', 'export const other = 1;'),
    async ({ made, server, json }) => {
      await server.waitFor(/src\/api\/word\.ts:\d+: .*word/);
      await server.waitFor(/fwk dev waits for edits/);
      assert.is((await request(server.url, '/api/fast')).status, 500);
      made.write('lib/word.ts', word('mended'));
      await server.waitFor(/reloaded /);
      assert.equal([await json('/api/fast'), await json('/api/word')], ['fast', 'mended']);
    },
  ));

test('the first request uses the changed method of a route', () =>
  again(
    () => ({
      'lib/method.ts': module('get', 'export const method = get;'),
      'api/fast.ts': textRoute('fast'),
      'api/moved.ts': `import { method } from '../lib/method.js';\nexport default method(() => 'moved');`,
      'services/count.ts': service(`() => { console.log('[made]'); return 1; }`),
    }),
    (made) => made.write('lib/method.ts', module('post', 'export const method = post;')),
    async ({ server, json }) => {
      assert.is((await request(server.url, '/api/moved', { method: 'GET' })).status, 405);
      assert.is((await request(server.url, '/api/moved', { method: 'POST' })).json, 'moved');
      assert.is(await json('/api/fast'), 'fast');
    },
  ));

for (const [what, spoil] of Object.entries({
  'is truncated': (file: string) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, -9)),
  'was changed': (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('"GET"', '"POST"')),
  'is invalid': (file: string) => writeFileSync(file, '\0{"a":['),
  'is a directory': (file: string) => {
    rmSync(file);
    mkdirSync(file);
  },
}))
  test(`dev.json ${what}: everything is imported first`, () =>
    again(
      () => ({ 'api/fast.ts': `console.log('[imported]');\n${textRoute('fast')}` }),
      ({ root }) => spoil(`${root}/.fwk/dev.json`),
      async ({ server, json }) => {
        assert.match(server.output.all, '[imported]');
        assert.is(await json('/api/fast'), 'fast');
      },
    ));

test('services start after all routes are verified', () =>
  again(
    (url) => ({
      ...slowAndFast(url),
      'services/job.ts': service(
        `(ctx, { onStart }) => { onStart(() => console.log('[begun]')); return 1; }`,
      ),
    }),
    wait,
    async ({ held, json, server }) => {
      await held.reached();
      assert.is(await json('/api/fast'), 'fast');
      assert.not.match(server.output.all, '[begun]');
      held.open();
      await server.waitFor(/\[begun\]/);
    },
  ));

test.run();
