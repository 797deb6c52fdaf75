import { mkdirSync, renameSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, spawnDev } from '../../harness/fwk.js';
import type { Sent } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { type Files, project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { configFile, route } from '../../harness/source.js';

const config = (options: string): Files => ({
  'fwk.config.ts': configFile(`{ ${options} }`),
});
const loaded: Files = {
  'api/loaded.ts': `import { createRequire } from 'node:module';\n${route(`() => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('@fastify/send'))`)}`,
};
const file: Files = { 'public/file.txt': 'one' };

const test = suite('static');

test('clients revalidate files unless maxAge is set', async () => {
  for (const [options, expected] of [
    ['', 'public, max-age=0'],
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

test('rejects an invalid option', async () => {
  const stderr = await refusal(
    project({ ...file, ...config('static: { maxAge: -1, imutable: true }') }),
    'routes',
  );
  assert.match(stderr, '"static.maxAge" must be a whole number of seconds, at least 0; it is -1.');
  assert.match(stderr, 'has an unknown key "static.imutable". Did you mean "immutable"?');
});

test('in development, public/ and its files can be added, changed and removed', async () => {
  const made = project(loaded);
  // The modules that a process has loaded are looked at.
  const site = await spawnDev(made);
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

test('a link to a parent directory causes no endless loop', async () => {
  const site = await production(file, (made) => symlinkSync('.', made.path('public/loop')));
  assert.is((await site.raw('/file.txt')).text, 'one');
  assert.is((await site.raw('/loop/file.txt')).status, 404);
  await site.stop();
});

test('in production, a file kept in memory answers as when it was read', async () => {
  const site = await production({
    'public/ten.txt': '0123456789',
    'public/app.js': 'original();',
    'public/app.js.gz': 'as gzip',
    'public/big.txt': 'x'.repeat(100_000),
  });
  const ask = async (path: string, sent?: Sent) => {
    const { status, headers, text } = await site.raw(path, sent);
    return { status, text, headers: { ...headers, date: undefined } };
  };
  // A response to a precondition or range is not cached, and comes before any other request for the file.
  const { etag = '', 'last-modified': modified = '' } = (
    await ask('/ten.txt', { headers: { 'If-Match': '*' } })
  ).headers;
  const requests: readonly (readonly [string, Sent?])[] = [
    ['/ten.txt', { method: 'HEAD' }],
    ['/ten.txt', { headers: { 'If-None-Match': etag } }],
    ['/ten.txt', { headers: { 'If-None-Match': '"other"' } }],
    ['/ten.txt', { headers: { 'If-Modified-Since': modified } }],
    ['/ten.txt', { headers: { 'If-Match': '"other"' } }],
    ['/ten.txt', { headers: { Range: 'bytes=2-4' } }],
    ['/app.js', { headers: { 'Accept-Encoding': 'gzip' }, method: 'HEAD' }],
    ['/big.txt'],
  ];
  const all = async () => Promise.all(requests.map(([path, sent]) => ask(path, sent)));
  const before = await all();
  const read = await Promise.all([
    ask('/ten.txt'),
    ask('/app.js', { headers: { 'Accept-Encoding': 'gzip' } }),
  ]);
  assert.equal(await all(), before);
  assert.equal(
    await Promise.all([ask('/ten.txt'), ask('/app.js', { headers: { 'Accept-Encoding': 'gzip' } })]),
    read,
  );
  assert.is((await ask('/app.js')).text, 'original();');

  // Another file of the same length, and of the same age.
  const { atime, mtime } = statSync(site.project.path('public/ten.txt'));
  site.project.write('public/other', '9876543210');
  utimesSync(site.project.path('public/other'), atime, mtime);
  renameSync(site.project.path('public/other'), site.project.path('public/ten.txt'));
  assert.is((await ask('/ten.txt')).text, '9876543210');

  // The same file, replaced with the same modification time: only ctime differs.
  const rewritten = site.project.path('public/ten.txt');
  const { ctimeMs } = statSync(rewritten);
  do {
    site.project.write('public/ten.txt', 'abcdefghij');
    utimesSync(rewritten, atime, mtime);
  } while (statSync(rewritten).ctimeMs === ctimeMs);
  assert.is((await ask('/ten.txt')).text, 'abcdefghij');
  await site.stop();
});

test('in production, nothing is loaded without public/, and a deleted file is a 404', async () => {
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
