import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Visitor } from '../../harness/cookie-client.js';
import { type Files, project } from '../../harness/project.js';
import { connectSocket } from '../../harness/socket.js';
import { di, module, route } from '../../harness/source.js';
import { made, team } from '../../harness/workers.js';
import { config, running, files as shop, withStore } from './store-project.js';

// renewSession(req, { user }) and endSession(req, { user }); session.maxLifetime.

const routes: Files = {
  'di/user.ts': di('session', '() => ({ name: null })'),
  'api/me.ts': route('get', `(req, res, ctx) => ctx.user.name ?? 'nobody'`),
  'api/login/[name].ts': module(
    'post, renewSession',
    `export default post((req, res, ctx) => {
       renewSession(req, { user: req.params.name });
       ctx.user.name = req.params.name;
     });`,
  ),
  'api/mark/[name].ts': module(
    'post, renewSession',
    'export default post((req) => renewSession(req, { user: req.params.name }));',
  ),
  'api/renew.ts': route('post, renewSession', '(req) => renewSession(req)'),
  'api/logout.ts': route('post, endSession', '(req) => endSession(req)'),
  'api/ban/[name].ts': module(
    'post, endSession',
    'export default post((req) => endSession(req, { user: req.params.name }));',
  ),
  'api/others.ts': module(
    'post, endSession, renewSession',
    `export default post(async (req, res, ctx) => {
       const { name } = ctx.user;
       await endSession(req, { user: name });
       renewSession(req, { user: name });
       ctx.user.name = name;
     });`,
  ),
  'api/wrong.ts': module(
    'post, endSession, renewSession',
    `export default post(async (req) => {
       const errors = [];
       for (const user of [42, '', undefined, null])
         for (const call of [renewSession, endSession])
           try { await call(req, { user }); } catch (thrown) { errors.push(thrown.message); }
       return errors;
     });`,
  ),
  'ws/live.ts': module('ws', 'export default ws(({ send }) => { send(process.pid); });'),
};

const secret = `secrets: '${'s'.repeat(32)}'`;

async function login(url: string, name: string): Promise<Visitor> {
  const visitor = new Visitor(url);
  assert.is((await visitor.post(`/api/login/${name}`)).status, 204);
  return visitor;
}

const test = suite('sessions of a user');

test('endSession ends all sessions of a user on all workers, and closes their sockets', async () => {
  const app = await team(made({ ...routes, 'fwk.config.js': `export default { session: { ${secret} } };` }));
  const { url } = app;
  const anns = await Promise.all(Array.from({ length: 12 }, () => login(url, 'ann')));
  const [bob, guest] = [await login(url, 'bob'), new Visitor(url)];
  await anns[0]?.post('/api/renew');
  const cookie = (visitor?: Visitor) => ({ headers: { cookie: visitor?.cookie ?? '' } });
  const sockets = await Promise.all(anns.map((ann) => connectSocket(url, '/ws/live', cookie(ann))));
  const other = await connectSocket(url, '/ws/live', cookie(bob));
  for (const ann of anns) assert.is(await ann.json('/api/me'), 'ann');

  // One of the 13 IDs in the list ended at the renewal.
  assert.is((await guest.post('/api/ban/ann')).json, 12);
  assert.is((await guest.post('/api/ban/zoe')).json, 0);
  for (const socket of sockets) assert.equal(await socket.closed, [1008, 'The session has ended']);
  for (const ann of anns) assert.is(await ann.json('/api/me'), 'nobody');
  assert.is(await bob.json('/api/me'), 'bob');
  assert.is(await Promise.race([other.closed, 'open']), 'open');
  other.close();

  const again = await login(url, 'ann');
  assert.is(await again.json('/api/me'), 'ann');
  await guest.post('/api/ban/ann');
  assert.is(await again.json('/api/me'), 'nobody');
  assert.not.match((await app.stop()).stderr, 'Warning');
});

for (const [where, files] of Object.entries({
  memory: { ...shop, 'fwk.config.ts': config('{ maxAge: 100 }') },
  'a custom store': withStore,
}))
  test(`logins at the same time, renewals and the own session, in ${where}`, async () => {
    await running(project({ ...files, ...routes }), async ({ url }) => {
      const clock = new Visitor(url);
      const anns = await Promise.all(Array.from({ length: 8 }, () => login(url, 'ann')));
      const [first = clock] = anns;
      await first.post('/api/renew');
      const marked = new Visitor(url);
      await marked.post('/api/add/pen');
      await marked.post('/api/mark/ann');
      assert.equal(await marked.json('/api/cart'), ['pen']);
      // Visits extend sessions beyond the time for which they were listed at the login.
      for (let visits = 0; visits < 5; visits += 1) {
        await clock.post('/api/later/60');
        await first.visit('/api/me');
        await marked.visit('/api/me');
      }
      assert.is(await first.json('/api/me'), 'ann');
      const late = await login(url, 'ann');

      const { headers, json } = await late.post('/api/ban/ann');
      // The others have expired.
      assert.is(json, 3);
      assert.match(headers['set-cookie']?.join() ?? '', 'Max-Age=0');
      for (const visitor of [...anns, marked, late]) assert.is(await visitor.json('/api/me'), 'nobody');
      assert.equal(await marked.json('/api/cart'), []);

      const [here, there] = [await login(url, 'ann'), await login(url, 'ann')];
      await here.post('/api/others');
      assert.is(await here.json('/api/me'), 'ann');
      assert.is(await there.json('/api/me'), 'nobody');
      await clock.post('/api/ban/ann');
      assert.is(await here.json('/api/me'), 'nobody');

      const messages = (await clock.post('/api/wrong')).json as string[];
      assert.is(messages.length, 8);
      assert.is(messages[0], 'renewSession() needs a user that is a non-empty string, not 42');
    });
  });

test('session.maxLifetime ends a session however often it is used; a renewal begins a new one', async () => {
  const limited = { ...shop, ...routes, 'fwk.config.ts': config('{ maxAge: 100, maxLifetime: 250 }') };
  await running(project(limited), async ({ url }) => {
    const [ann, bob, clock] = [await login(url, 'ann'), await login(url, 'bob'), new Visitor(url)];
    for (const seconds of [70, 70, 70]) {
      await clock.post(`/api/later/${seconds}`);
      assert.is(await ann.json('/api/me'), 'ann');
      assert.is(await bob.json('/api/me'), 'bob');
    }
    // Once a visit cannot extend it any further, it sends no new cookie.
    assert.is((await ann.visit('/api/me')).headers['set-cookie'], undefined);
    await bob.post('/api/renew');
    await clock.post('/api/later/41');
    assert.is(await ann.json('/api/me'), 'nobody');
    assert.is(await bob.json('/api/me'), 'bob');
    for (const seconds of [55, 55, 55]) {
      await clock.post(`/api/later/${seconds}`);
      assert.is(await bob.json('/api/me'), 'bob');
    }
    await clock.post('/api/later/45');
    assert.is(await bob.json('/api/me'), 'nobody');
  });
});

test('session.maxLifetime closes sockets, and counts for sessions that began before it was set', async () => {
  const app = project({ ...withStore, ...routes });
  app.write('.env', `SESSION_SECRET=${'s'.repeat(32)}\n`);
  let old: string | undefined;
  await running(app, async ({ url }) => {
    old = (await login(url, 'ann')).cookie;
  });
  app.write('fwk.config.ts', config('{ store, maxLifetime: 2 }', `import { store } from './lib/store.js';`));
  await running(app, async ({ url }) => {
    const ann = new Visitor(url, old);
    assert.is(await ann.json('/api/me'), 'ann');
    const socket = await connectSocket(url, '/ws/live', { headers: { cookie: ann.cookie ?? '' } });
    assert.equal(await socket.closed, [1008, 'The session has ended']);
    assert.is(await ann.json('/api/me'), 'nobody');
  });
});

test.run();
