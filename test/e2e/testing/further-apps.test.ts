import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { project } from '../../harness/project.js';
import { middleware, module, route } from '../../harness/source.js';
import { createTestApp } from '../../harness/testing.js';

// The second app of unchanged sources takes the compiled texts and the metadata of the first one.

const test = suite('several apps in a process');

const files = {
  'lib/count.ts': 'export const counter = { calls: 0 };',
  'lib/word.ts': `export const word = process.env.FURTHER_WORD ?? 'one';`,
  'services/made.ts': module(
    'service',
    'let made = 0;\nexport default service(() => { made += 1; return made; });',
  ),
  'middlewares/word.ts': `import { word } from '../lib/word.js';\n${middleware(`(req, res, ctx, next) => { res.header('x-word', word); return next(); }`)}`,
  'api/calls.get.ts': `import { counter } from '../lib/count.js';\n${route('(req, res, ctx) => ({ calls: ++counter.calls, made: ctx.made })')}`,
  'api/meta.post.ts': module('post', `export default post((req) => req.body).meta({ bodyLimit: 10 });`),
};

/** A project whose files are older than the boot of its first app, so that the next app can rely on them. */
async function prepared() {
  const made = project(files);
  await setTimeout(20);
  return made;
}

const post = (length: number) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify('x'.repeat(length)),
});

async function ask(dir: string) {
  const app = await createTestApp({ dir });
  const calls = await app.get('/api/calls');
  const result = {
    labels: app.routes.map(({ label }) => label),
    calls: await calls.json(),
    word: calls.headers.get('x-word'),
    statuses: [
      (await app.fetch('/api/meta', post(1))).status,
      (await app.fetch('/api/meta', post(100))).status,
    ],
  };
  await app.close();
  return result;
}

const first = {
  labels: ['GET /api/calls', 'POST /api/meta'],
  calls: { calls: 1, made: 1 },
  word: 'one',
  statuses: [200, 413],
};

test('each app evaluates the modules again and answers like the first one', async () => {
  const { root } = await prepared();
  for (let app = 1; app <= 3; app += 1) assert.equal(await ask(root), first);
});

test('an app serves the files as they are when it boots', async () => {
  const made = await prepared();
  assert.equal(await ask(made.root), first);
  made.write('lib/word.ts', `export const word = 'two';`);
  made.write('api/other.get.ts', route('get', `() => 'other'`));
  assert.equal(await ask(made.root), {
    ...first,
    word: 'two',
    labels: ['GET /api/calls', 'POST /api/meta', 'GET /api/other'],
  });
  made.write('api/other.get.ts', 'export default get(');
  const refused = await createTestApp({ dir: made.root }).catch((error: Error) => error.message);
  assert.match(String(refused), 'src/api/other.get.ts');
  made.remove('api/other.get.ts');
  assert.equal(await ask(made.root), { ...first, word: 'two' });
});

test('an app sees the environment of its boot', async () => {
  const { root } = await prepared();
  assert.equal(await ask(root), first);
  process.env.FURTHER_WORD = 'three';
  assert.equal(await ask(root), { ...first, word: 'three' });
  delete process.env.FURTHER_WORD;
  assert.equal(await ask(root), first);
});

test('a variable that is set after an app has read its file takes precedence over the file', async () => {
  const made = await prepared();
  made.write('.env.test', 'FURTHER_WORD=four\n');
  assert.equal(await ask(made.root), { ...first, word: 'four' });
  process.env.FURTHER_WORD = 'five';
  assert.equal(await ask(made.root), { ...first, word: 'five' });
  made.remove('.env.test');
  assert.equal(await ask(made.root), { ...first, word: 'five' });
  delete process.env.FURTHER_WORD;
});

test.run();
