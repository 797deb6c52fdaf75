import { mkdirSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../harness/fwk.js';
import { production } from '../harness/production.js';
import { type Files, project } from '../harness/project.js';
import { refusal } from '../harness/refusal.js';
import { module, route } from '../harness/source.js';

// Options of static, what comes and goes while it serves, and what it costs where there is no public/.

const config = (options: string): Files => ({
  'fwk.config.ts': module('defineConfig', `export default defineConfig({ ${options} });`),
});
const loaded: Files = {
  'api/loaded.ts': `import { createRequire } from 'node:module';\n${route(
    'get',
    `() => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('@fastify/send'))`,
  )}`,
};
const file: Files = { 'public/file.txt': 'one' };

const test = suite('static');

test('clients ask every time unless they are told otherwise', async () => {
  for (const [options, expected] of [
    ['', 'public, max-age=0'],
    ['static: { maxAge: 60 }', 'public, max-age=60'],
    ['static: { maxAge: 31536000, immutable: true }', 'public, max-age=31536000, immutable'],
  ] as const) {
    const site = await production({ ...file, ...config(options) });
    assert.is((await site.raw('/file.txt')).headers['cache-control'], expected);
    await site.stop();
  }
  const site = await dev(project({ ...file, ...config('static: { maxAge: 60 }') }));
  assert.is((await site.fetch('/file.txt')).headers.get('cache-control'), 'no-cache');
  await site.stop();
});

test('a wrong option is refused', async () => {
  const told = await refusal(
    project({ ...file, ...config('static: { maxAge: -1, imutable: true }') }),
    'routes',
  );
  assert.match(told, '"static.maxAge" must be a whole number of seconds, at least 0; it is -1.');
  assert.match(told, 'has an unknown key "static.imutable". Did you mean "immutable"?');
});

test('in development public/ and its files may come, change and go', async () => {
  const made = project(loaded);
  const site = await dev(made);
  const look = async (path: string) => {
    const response = await site.fetch(path);
    return response.ok ? response.text() : response.status;
  };
  assert.is(await look('/new.txt'), 404);
  assert.is(await look('/api/loaded'), 'false');
  mkdirSync(made.path('public'));
  assert.is(await look('/new.txt'), 404);
  made.write('public/new.txt', 'new');
  assert.is(await look('/new.txt'), 'new');
  made.write('public/new.txt', 'newer');
  assert.is(await look('/new.txt'), 'newer');
  made.remove('public/new.txt');
  assert.is(await look('/new.txt'), 404);
  assert.is(await look('/api/loaded'), 'true');
  await site.stop();
});

test('a link to the directory that it is in is no way round and round', async () => {
  const site = await production(file, (made) => symlinkSync('.', made.path('public/loop')));
  assert.is((await site.raw('/file.txt')).text, 'one');
  assert.is((await site.raw('/loop/file.txt')).status, 404);
  await site.stop();
});

test('in production nothing is loaded without public/, and a file that is gone is nothing', async () => {
  const without = await production(loaded);
  assert.is((await without.raw('/file.txt')).status, 404);
  assert.is((await without.raw('/api/loaded')).json, false);
  await without.stop();

  const site = await production({ ...loaded, ...file });
  site.project.write('public/later.txt', 'later');
  assert.is((await site.raw('/later.txt')).status, 404);
  assert.is((await site.raw('/file.txt')).text, 'one');
  site.project.write('public/file.txt', 'other');
  assert.is((await site.raw('/file.txt')).text, 'other');
  site.project.remove('public/file.txt');
  assert.is((await site.raw('/file.txt')).status, 404);
  assert.is((await site.raw('/api/loaded')).json, true);
  await site.stop();
});

test.run();
