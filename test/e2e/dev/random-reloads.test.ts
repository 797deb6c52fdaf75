import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { request } from '../../harness/http.js';
import { sharing } from '../../harness/running.js';
import { configFile, middleware, route, service } from '../../harness/source.js';
import { createTestApp } from '../../harness/testing.js';

// A reload keeps the routes and layers of unchanged files. After each of some random edits, the reloaded server must answer like an
// app that has just started. `SEED=7 EDITS=200` runs others.

const test = suite('random reloads');
const running = sharing(test);

const { SEED = '1', EDITS = '25' } = process.env;

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const METAS = [
  '',
  `.meta({ timeout: 5_000 })`,
  `.meta({ securityHeaders: false })`,
  `.meta({ bodyLimit: 4 })`,
];
const OPTIONS = [
  '{}',
  '{ http: { timeout: 20_000 } }',
  '{ securityHeaders: true }',
  `{ cors: { origin: 'https://a.example' } }`,
  `{ csrf: { when: 'always' } }`,
  `{ disable: ['views'] }`,
];

const middlewareText = (name: string, version: number) => `import { word } from '../lib/word.js';
${middleware(`async (req, res, ctx, next) => {
     const result = await next();
     res.header('x-${name}', '${version} ' + word + ' ' + ctx.first);
     return result;
   }`)}`;

/** Texts of each file, by a version. Undefined removes the file. */
const EDITS_OF: Readonly<Record<string, (version: number) => string | undefined>> = {
  'lib/word.ts': (version) => `export const word = 'word ${version}';`,
  'services/first.ts': (version) => service(`() => 'first ${version}'`),
  'services/second.ts': (version) => service(`(ctx) => ({ says: () => ctx.first + ' second ${version}' })`),
  'middlewares/all.ts': (version) => middlewareText('all', version),
  'middlewares/other.ts': (version) => (version % 2 ? middlewareText('other', version) : undefined),
  'api/a/_middleware.ts': (version) =>
    version % 3 ? middlewareText('a', version).replace("'../lib", "'../../lib") : undefined,
  'api/a/one.ts': (version) =>
    `import { word } from '../../lib/word.js';
${route('get', `(req, res, ctx) => [word, ctx.second.says(), ${version}]`).trimEnd().replace(/;$/, '')}${METAS[version % METAS.length]};`,
  'api/a/two.post.ts': (version) =>
    version % 3
      ? route('post', `(req) => ({ ${version % 2 ? 'body: req.body' : `version: ${version}`} })`)
      : undefined,
  'api/b/[id].ts': (version) =>
    route('get', `({ params }) => params.id === 'null' ? null : params.id + ${version}`),
  'api/b/page.ts': (version) => (version % 2 ? route('get', `() => 'page ${version}'`) : undefined),
  'fwk.config.ts': (version) => configFile(`${OPTIONS[version % OPTIONS.length]}`),
};

const ASKED: readonly (readonly [
  path: string,
  init?: { method: string; body?: string; headers?: Record<string, string> },
])[] = [
  ['/api/a/one'],
  ['/api/a/two', { method: 'POST', body: '"long"', headers: { 'content-type': 'application/json' } }],
  [
    '/api/a/two',
    {
      method: 'POST',
      body: 'x=1',
      headers: { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site', cookie: 'a=b' },
    },
  ],
  ['/api/b/null'],
  ['/api/b/page', { method: 'GET', headers: { origin: 'https://a.example' } }],
  ['/api/none'],
  ['/api/a/one', { method: 'DELETE' }],
  ['/none'],
];

const HEADERS = ['x-all', 'x-other', 'x-a', 'allow', 'x-content-type-options', 'access-control-allow-origin'];

test(`after ${EDITS} edits, each response equals that of a fresh start`, () => {
  const next = random(Number(SEED));
  const names = Object.keys(EDITS_OF);
  const version = () => Math.floor(next() * 60);
  const initial = Object.fromEntries(
    names.flatMap((name) => {
      const text = EDITS_OF[name]?.(1);
      return text === undefined ? [] : [[name, text]];
    }),
  );
  return running(initial, async ({ made, server }) => {
    for (let edit = 1; edit <= Number(EDITS); edit += 1) {
      const name = names[Math.floor(next() * names.length)] ?? '';
      const text = EDITS_OF[name]?.(version());
      const from = server.output.mark();
      if (text !== undefined) made.write(name, text);
      else if (made.exists(name)) made.remove(name);
      // The marker shows when the edit is served, even if it changed nothing.
      made.write('web/marker.ts', route('get', `() => ${edit}`));
      await server.waitFor(/reloaded [^\n]*marker/, from);
      const app = await createTestApp({ dir: made.root, logger: false });
      try {
        assert.is((await request(server.url, '/marker')).text, String(edit));
        for (const [path, init = { method: 'GET' }] of ASKED) {
          const fresh = await app.fetch(path, init);
          const reloaded = await request(server.url, path, init);
          const where = `SEED=${SEED}, edit ${edit} of ${name}: ${init.method} ${path}`;
          assert.is(reloaded.status, fresh.status, where);
          if (fresh.ok) assert.is(reloaded.text, await fresh.text(), where);
          for (const header of HEADERS)
            assert.is(reloaded.headers[header] ?? null, fresh.headers.get(header), `${where}, ${header}`);
        }
      } finally {
        await app.close();
      }
    }
  });
});

test.run();
