import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { type Files, project } from '../../harness/project.js';
import { middleware, route } from '../../harness/source.js';

const files: Files = {
  'lib/door.ts': `const doors = new Map();
const door = (name) => {
  if (!doors.has(name)) {
    let open;
    doors.set(name, { opened: new Promise((resolve) => { open = resolve; }), open });
  }
  return doors.get(name);
};
export const behind = (name) => door(name).opened;
export const open = (name) => door(name).open();
`,
  'api/open/[name].post.ts': `import { open } from '../../lib/door.js';\n${route('post', '({ params }) => { open(params.name); return {}; }')}`,

  // Handlers fail once their middleware is done, or while it still runs.
  'api/lost/_middleware.ts': middleware('(req, res, ctx, next) => { next(); return { early: true }; }'),
  'api/lost/[name].ts': `import { behind } from '../../lib/door.js';\n${route('get, error', `async ({ params }) => { await behind(params.name); throw error(409, 'lost ' + params.name); }`)}`,
  'api/after/_middleware.ts': middleware(
    'async (req, res, ctx, next) => { await null; next(); return { early: true }; }',
  ),
  'api/after/here.ts': route('get, error', `async () => { throw error(409, 'after a wait'); }`),
  'api/callback/_middleware.ts': `import { behind } from '../../lib/door.js';\n${middleware(
    `(req, res, ctx, next) => {
       behind(req.path).then(() => setImmediate(next));
       return { early: true };
     }`,
  )}`,
  'api/callback/later.ts': route('get, error', `async () => { throw error(409, 'called back later'); }`),
  'api/callback/now.ts': route('get, error', `() => { throw error(409, 'called back now'); }`),
  'api/nothing/_middleware.ts': middleware('(req, res, ctx, next) => { next(); }'),
  'api/nothing/here.ts': route('get', 'async () => ({ here: true })'),
  'api/nothing/now.ts': route('get', '() => ({ here: true })'),
  'api/silent/_middleware.ts': middleware(
    `(req, res) => {
       if (req.path.endsWith('/soon')) return Promise.resolve();
       if (req.path.endsWith('/options')) res.status(204);
     }`,
  ),
  'api/silent/[name].ts': route('get', '() => ({ here: true })'),
  'api/silent/soon.ts': route('get', '() => ({ here: true })'),
  'api/forgot/_middleware.ts': `import { behind } from '../../lib/door.js';\n${middleware(
    `async (req, res, ctx, next) => { next(); await behind('forgotten'); return { late: true }; }`,
  )}`,
  'api/forgot/here.ts': route('get, error', `async () => { throw error(409, 'forgotten'); }`),
  'api/waits/_middleware.ts': `import { behind } from '../../lib/door.js';\n${middleware(
    `async (req, res, ctx, next) => {
       const rest = next();
       await behind('waiting');
       try { return await rest; } catch (thrown) { return { caught: thrown.message }; }
     }`,
  )}`,
  'api/waits/here.ts': route('get, error', `async () => { throw error(409, 'awaited in time'); }`),
  'api/then/_middleware.ts': middleware(
    `(req, res, ctx, next) => next().then((value) => ({ value }), (thrown) => ({ caught: thrown.message }))`,
  ),
  'api/then/here.ts': route('get', 'async () => 1'),
  'api/then/thrown.ts': route('get, error', `async () => { throw error(409, 'caught'); }`),
  'api/instance/_middleware.ts': middleware(
    '(req, res, ctx, next) => { const rest = next(); return rest instanceof Promise ? rest : { missed: true }; }',
  ),
  'api/instance/here.ts': route('get', 'async () => 1'),
  'api/all/_middleware.ts': middleware('async (req, res, ctx, next) => Promise.all([next(), 2])'),
  'api/all/here.ts': route('get', 'async () => 1'),
  'api/body/_middleware.ts': middleware(
    '(req, res, ctx, next) => { req.readBody(); return { refused: true }; }',
  ),
  'api/body/here.ts': route('post', '() => 1'),

  // Streams that a handler sends itself without waiting.
  'api/stream/later.ts': `import { behind } from '../../lib/door.js';\n${route(`(req, res) => {
    res.stream((async function* () { await behind('stream'); throw new Error('stream failed later'); })());
  }`)}`,
  'api/stream/before.ts': route(`async (req, res) => {
    res.stream((async function* () { throw new Error('stream failed before'); })());
    await new Promise((wake) => setTimeout(wake, 20));
  }`),
  'api/stream/caught.ts': route(`async (req, res) => {
    try { await res.stream((async function* () { throw new Error('stream caught'); })()); }
    catch (thrown) { return { caught: thrown.message }; }
  }`),
  'api/stream/works.ts': route(`(req, res) => { res.stream((async function* () { yield 'works'; })()); }`),

  // Thenables of databases: not promises, and not all of their \`then\` returns one.
  'api/thenable/rejects.ts': route(
    `() => ({ then: (_, reject) => setImmediate(reject, new Error('no rows')) })`,
  ),
  'api/thenable/resolves.ts': route(`() => ({ then: (resolve) => void setImmediate(resolve, { rows: 1 }) })`),
  'api/thenable/throws.ts': route('get', `() => ({ then() { throw new Error('then throws'); } })`),
  'api/thenable/deep/_middleware.ts': middleware('(req, res, ctx, next) => next()'),
  'api/thenable/deep/rejects.ts': route(
    `() => ({ then: (_, reject) => void setImmediate(reject, new Error('deep')) })`,
  ),
};

const test = suite('unobserved, production');
const served = await production(files);
test.after(() => served.stop());

const open = async (name: string) => void (await served.raw(`/api/open/${name}`, { method: 'POST' }));

test('a failure behind a middleware that has answered is logged once', async () => {
  const from = served.output.mark();
  assert.equal((await served.raw('/api/lost/one')).json, { early: true });
  await open('one');
  await served.output.waitFor(/lost one/, from);
  assert.equal((await served.raw('/api/then/here')).json, { value: 1 });
  const printed = served.output.all.slice(from);
  assert.match(
    printed,
    /"code":"FWK117".*GET \/api\/lost\/one failed after api\/lost\/_middleware\.js, which does not wait for next\(\)/,
  );
  assert.is(printed.split('failed after').length, 2);
});

test('a failure while a middleware without await runs is logged at its end', async () => {
  const from = served.output.mark();
  const answer = served.raw('/api/forgot/here');
  await open('forgotten');
  assert.equal((await answer).json, { late: true });
  await served.output.waitFor(/forgot\/here failed after/, from);
});

test('a failure behind a late next() is logged', async () => {
  const from = served.output.mark();
  assert.equal((await served.raw('/api/after/here')).json, { early: true });
  await served.output.waitFor(/api\/after\/here failed after.*after a wait/, from);
  for (const name of ['later', 'now']) {
    assert.equal((await served.raw(`/api/callback/${name}`)).json, { early: true });
    await open(encodeURIComponent(`/api/callback/${name}`));
    await served.output.waitFor(new RegExp(`failed after.*called back ${name}`), from);
  }
  assert.is(served.output.all.slice(from).split('failed after').length, 4);
});

test('a result that is awaited later, or handled, is not reported', async () => {
  const from = served.output.mark();
  const answer = served.raw('/api/waits/here');
  await open('waiting');
  assert.equal((await answer).json, { caught: 'awaited in time' });
  assert.equal((await served.raw('/api/then/thrown')).json, { caught: 'caught' });
  assert.equal((await served.raw('/api/all/here')).json, [1, 2]);
  assert.is((await served.raw('/api/instance/here')).json, 1);
  assert.is(served.output.all.slice(from).includes('failed after'), false);
});

test('an invalid body that no middleware awaits is no failure', async () => {
  const broken = { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } };
  assert.equal((await served.raw('/api/body/here', broken)).json, { refused: true });
  assert.is((await served.raw('/api/then/here')).status, 200);
});

test('a thenable is a result, and its rejection an error', async () => {
  const from = served.output.mark();
  assert.equal((await served.raw('/api/thenable/resolves')).json, { rows: 1 });
  for (const name of ['rejects', 'throws', 'deep/rejects'])
    assert.is((await served.raw(`/api/thenable/${name}`)).status, 500, name);
  await served.output.waitFor(/then throws/, from);
  assert.is(served.child.exitCode, null);
});

test('an unawaited stream fails like a returned one', async () => {
  const from = served.output.mark();
  const later = served.raw('/api/stream/later');
  await open('stream');
  assert.is((await later).status, 500);
  await served.output.waitFor(/stream failed later/, from);
  assert.is((await served.raw('/api/stream/before')).status, 500);
  assert.equal((await served.raw('/api/stream/caught')).json, { caught: 'stream caught' });
  assert.is((await served.raw('/api/stream/works')).text, 'works');
  assert.is(served.output.all.slice(from).includes('stream caught'), false);
});

test.run();

const inDev = suite('unobserved, dev');
const server = await dev(project(files));
inDev.after(async () => void (await server.stop()));

inDev('a middleware that neither calls next() nor responds is reported, once', async () => {
  for (let count = 0; count < 2; count++)
    for (const path of ['/api/silent/now', '/api/silent/soon', '/api/silent/options'])
      assert.is((await request(server.url, path)).status, 204, path);
  const reports = server.output.all.match(/FWK117.*neither called next\(\) nor responded.*/g) ?? [];
  assert.is(reports.length, 2, reports.join('\n'));
});

inDev('a middleware that does not return next() is reported', async () => {
  const ask = (path: string) => request(server.url, path);
  for (const path of ['/api/nothing/here', '/api/nothing/now', '/api/lost/dev', '/api/after/here']) {
    const { status, text } = await ask(path);
    assert.is(status, 500, path);
    assert.match(text, 'FWK117');
    assert.match(
      text,
      /src\/api\/\w+\/_middleware\.ts called next\(\) and did not return its result.*`return next\(\)`/,
    );
  }
  for (const path of ['/api/then/here', '/api/all/here']) assert.is((await ask(path)).status, 200, path);
});

inDev.run();
