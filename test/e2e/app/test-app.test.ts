import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type * as Testing from '../../../testkit/index.js';
import { fwk } from '../../harness/fwk.js';
import { installed } from '../../harness/installed.js';
import { type Files, layouts, project } from '../../harness/project.js';
import { module, route } from '../../harness/source.js';
import { tsc } from '../../harness/tsc.js';

// fwkit/testing: a project asked without a socket, with parts of ctx replaced.

const file = path.join(installed(), 'node_modules/fwkit/dist/bundle/testing.js');
const { createTestApp } = (await import(pathToFileURL(file).href)) as typeof Testing;

const files: Files = {
  'services/mail.ts': module(
    'service',
    `globalThis.mailsMade ??= 0;
     export default service((ctx, { onDestroy }) => {
       globalThis.mailsMade++;
       onDestroy(() => { globalThis.mailsMade--; });
       return { send: (to) => 'really sent to ' + to };
     });`,
  ),
  'services/greeter.ts': module(
    'service',
    `export default service((ctx) => ({ greet: (name) => ctx.mail.send(name) }));`,
  ),
  'di/visitor.ts': module(
    'di',
    `export default di({ lifetime: 'request', value: (ctx, { req }) => req?.cookies.name });`,
  ),
  'api/greet/[name].post.ts': route(
    'post',
    '(req, res, ctx) => ({ said: ctx.greeter.greet(req.params.name), body: req.body })',
  ),
  'api/login.post.ts': route('post', `(req, res) => { res.cookie('name', req.body.name); }`),
  'api/logout.post.ts': route('post', `(req, res) => { res.clearCookie('name'); }`),
  'public/style.css': 'body {}',
  'api/me.get.ts': route('get', '(req, res, ctx) => ({ visitor: ctx.visitor ?? null })'),
};

for (const layout of layouts) {
  const test = suite(layout);
  const boot = (options: Omit<Testing.TestAppOptions, 'dir'> = {}) =>
    createTestApp({ dir: project(files, layout).root, ...options });

  test('requests, bodies and cookies', async () => {
    const app = await boot();
    try {
      const greeted = await app.post('/api/greet/Ada', { a: 1 });
      assert.equal(await greeted.json(), { said: 'really sent to Ada', body: { a: 1 } });
      assert.equal(await (await app.get('/api/me')).json(), { visitor: null });
      assert.is((await app.post('/api/login', { name: 'Ada' })).status, 204);
      assert.equal([...app.cookies], [['name', 'Ada']]);
      assert.equal(await (await app.get('/api/me')).json(), { visitor: 'Ada' });
      await app.post('/api/logout');
      assert.equal([...app.cookies], []);
      const form = await app.post('/api/greet/Bo', new URLSearchParams({ b: '2' }));
      assert.equal(((await form.json()) as { body: unknown }).body, { b: '2' });
      assert.ok(app.routes.some(({ label }) => label === 'GET /api/me'));
    } finally {
      await app.close();
    }
  });

  test('what overrides replaces is never made, and reaches services too', async () => {
    const made = () => Reflect.get(globalThis, 'mailsMade') as number;
    const sent: string[] = [];
    const mail = { send: (to: string) => `faked for ${sent.push(to) && to}` };
    const app = await boot({ overrides: { mail } as object });
    const response = await app.post('/api/greet/Ada');
    assert.is(((await response.json()) as { said: string }).said, 'faked for Ada');
    assert.equal(sent, ['Ada']);
    await app.close();
    assert.is(made(), 0, 'the first test’s was destroyed, and none was made here');
  });

  test('files of public/', async () => {
    const app = await boot();
    const file = await app.get('/style.css');
    assert.equal([file.status, await file.text()], [200, 'body {}']);
    assert.is((await app.get('/style.cs')).status, 404);
    await app.close();
  });

  test('an override that nothing provides is refused', async () => {
    const refused = await boot({ overrides: { mial: {} } as object }).catch((cause: Error) => cause);
    assert.ok(refused instanceof Error);
    assert.match(refused.message, 'overrides has "mial", but nothing provides ctx.mial.');
  });

  test.run();
}

const types = suite('types');
types('overrides are checked against ctx', async () => {
  const made = project({
    'services/clock.ts': module('service', `export default service(() => ({ now: () => Date.now() }));`),
    'use.ts': `import { createTestApp } from 'fwkit/testing';
await createTestApp({ overrides: { clock: { now: () => 2 } } });
await createTestApp({ overrides: { clock: { now: () => 'late' } } });
await createTestApp({ overrides: { clok: { now: () => 2 } } });
`,
  });
  assert.is((await fwk(made, 'types')).status, 0);
  const told = await tsc(made);
  assert.equal(
    told.map(({ file, line, code }) => [file, line, code]),
    [
      ['src/use.ts', 3, 'TS2322'],
      ['src/use.ts', 4, 'TS2561'],
    ],
  );
});
types.run();
