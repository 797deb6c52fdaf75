import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestApp, TestClock } from '../../../testkit/index.js';
import { rejected } from '../../harness/client.js';
import { type Files, project } from '../../harness/project.js';
import { di, module, route, sseRoute, wsModule } from '../../harness/source.js';
import { createTestApp, testClock } from '../../harness/testing.js';

const files: Files = {
  'fwk.config.ts': module(
    'defineConfig',
    `const kept = new Map();
export default defineConfig({
  session: { secrets: 's'.repeat(32), ...(process.env.WITH_STORE ? { store: {
    get: (id) => { if (globalThis.storeIsAway) throw new Error('away'); return kept.get(id); }, set: (id, text) => void kept.set(id, text), delete: (id) => void kept.delete(id),
  } } : {}) },
});`,
  ),
  'di/user.ts': di('session', `() => ({ name: null })`),
  'api/login.post.ts': route('post', '(req, res, ctx) => { ctx.user.name = req.body.name; }'),
  'api/me.get.ts': route('get', '(req, res, ctx) => ({ name: ctx.user.name })'),
  'api/cookies.get.ts': route(
    `(req, res) => { res.cookie('hour', '1', { maxAge: 3600 }); res.cookie('for-ever', '1'); return { sent: req.header('cookie') ?? null }; }`,
  ),
  'api/limited.get.ts': module(
    'get',
    `export default get(() => 'ok').meta({ rateLimit: { limit: 2, window: 60 } });`,
  ),
  'api/cached.get.ts': module(
    'get',
    `let times = 0;\nexport default get(() => ({ times: times += 1 })).meta({ cache: { maxAge: 60 } });`,
  ),
  'api/slow.get.ts': module(
    'get',
    `export default get(({ signal }) => new Promise((_, reject) => {
       signal.addEventListener('abort', () => reject(signal.reason));
       process.emit('slow:begun');
     })).meta({ timeout: 30_000 });`,
  ),
  'api/beats.get.ts': sseRoute(`({ send }) => { send('begun'); return () => {}; }`),
  'ws/echo.ts': wsModule(`({ onMessage, send }) => onMessage(send)`),
  'ws/kept.ts': wsModule(`({ onMessage, send }) => onMessage(send)).meta({ outlivesSession: true }`),
};

const test = suite('testClock');
const made = project(files);
const within = async (act: (app: TestApp, clock: TestClock) => Promise<void>) => {
  const clock = testClock('2030-01-01T00:00:00Z');
  const app = await createTestApp({ dir: made.root, clock });
  try {
    await act(app, clock);
  } finally {
    await app.close();
  }
};
const json = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, unknown>>;

for (const store of ['', 'yes'])
  test(`a session lasts a week from the last visit${store && ', in a store too'}`, async () => {
    process.env.WITH_STORE = store;
    await within(async (app, clock) => {
      await app.post('/api/login', { name: 'Ada' });
      await clock.advance('6 days');
      assert.equal(await json(app.get('/api/me')), { name: 'Ada' });
      await clock.advance('6 days');
      assert.equal(await json(app.get('/api/me')), { name: 'Ada' }, 'the visit has prolonged it');
      // A client that keeps its cookie has no advantage.
      const cookie = [...app.cookies].map(([name, value]) => `${name}=${value}`).join();
      await clock.advance('8 days');
      assert.equal(await json(app.visitor({ headers: { cookie } }).get('/api/me')), { name: null });
      assert.is(clock.date.toISOString(), '2030-01-21T00:00:00.000Z');
    });
  });

for (const store of ['', 'yes'])
  test(`sockets and streams of a session end when it expires${store && ', in a store too'}`, async () => {
    process.env.WITH_STORE = store;
    await within(async (app, clock) => {
      const guest = await app.visitor().ws('/ws/echo');
      await app.post('/api/login', { name: 'Ada' });
      const [first, kept, events] = [
        await app.ws('/ws/echo'),
        await app.ws('/ws/kept'),
        await app.sse('/api/beats'),
      ];
      assert.is((await events.next()).data, 'begun');
      await clock.advance('6 days');
      const late = await app.ws('/ws/echo');
      assert.equal(await json(app.get('/api/me')), { name: 'Ada' }, 'which prolongs it');
      // The time that it would have ended at without the visit, and the last moment before it does.
      await clock.advance('6 days');
      await clock.advance('23 hours');
      for (const socket of [first, late, kept, guest]) {
        socket.send('here');
        assert.is(await socket.next(), 'here');
      }
      await clock.advance('1 hour');
      for (const socket of [first, late])
        assert.equal(await socket.closed, { code: 1008, reason: 'The session has ended' });
      assert.match((await rejected(events.next())).message, 'the stream has ended');
      for (const socket of [kept, guest]) {
        socket.send('still here');
        assert.is(await socket.next(), 'still here');
      }
    });
  });

test('an unavailable store ends no session and is asked again', async () => {
  process.env.WITH_STORE = 'yes';
  await within(async (app, clock) => {
    await app.post('/api/login', { name: 'Ada' });
    const socket = await app.ws('/ws/echo');
    Reflect.set(globalThis, 'storeIsAway', true);
    await clock.advance('8 days');
    socket.send('here');
    assert.is(await socket.next(), 'here');
    Reflect.deleteProperty(globalThis, 'storeIsAway');
    await clock.advance('1 minute');
    assert.is((await socket.closed).code, 1008);
  });
});

test('cookies expire as in a browser', () =>
  within(async (app, clock) => {
    await app.get('/api/cookies');
    assert.equal(await json(app.get('/api/cookies')), { sent: 'hour=1; for-ever=1' });
    await clock.advance('59 min');
    assert.equal(await json(app.get('/api/me')), { name: null });
    assert.is(app.cookies.size, 2);
    await clock.advance('2 hours');
    assert.equal(await json(app.get('/api/cookies')), { sent: 'for-ever=1' });
  }));

test('rate limits and caches expire', () =>
  within(async (app, clock) => {
    const ask = async () => (await app.get('/api/limited')).status;
    assert.equal([await ask(), await ask(), await ask()], [200, 200, 429]);
    assert.equal(
      [await json(app.get('/api/cached')), await json(app.get('/api/cached'))],
      [{ times: 1 }, { times: 1 }],
    );
    await clock.advance('30 s');
    assert.is((await app.get('/api/cached')).headers.get('age'), '30');
    await clock.advance('2 minutes');
    assert.equal([await ask(), await json(app.get('/api/cached'))], [200, { times: 2 }]);
  }));

test('a route times out at its limit, and not before', () =>
  within(async (app, clock) => {
    const begun = once(process, 'slow:begun');
    let status = 0;
    const asked = app.get('/api/slow').then((answer) => {
      status = answer.status;
    });
    await begun;
    await clock.advance(29_999);
    assert.is(status, 0);
    await clock.advance('1 s');
    await asked;
    assert.is(status, 503);
  }));

test('heartbeats: a socket that answers stays open, a silent one does not, and event streams get comments', () =>
  within(async (app, clock) => {
    const socket = await app.ws('/ws/echo');
    await clock.advance('1 day');
    socket.send('still there');
    assert.is(await socket.next(), 'still there');
    const response = await app.get('/api/beats');
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('\n\n')) text += new TextDecoder().decode((await reader?.read())?.value);
    await clock.advance('15 s');
    assert.is(new TextDecoder().decode((await reader?.read())?.value), ': \n\n');
    await reader?.cancel();
  }));

test('rejects an invalid duration, clock or date', async () => {
  const clock = testClock();
  for (const wrong of ['8 dayz', 'days', '', -1, Number.NaN, '-1 s'] as never[])
    assert.match(
      (await rejected(clock.advance(wrong))).message,
      /^clock\.advance\(\) takes milliseconds or a string such as/,
    );
  assert.throws(() => testClock('never'), 'testClock() needs a valid date');
  const wrong = { date: new Date(), advance: async () => {} };
  assert.match(
    (await rejected(createTestApp({ dir: made.root, clock: wrong }))).message,
    'takes the result of testClock()',
  );
});

test('without a clock, requests are answered although the fake timers of a test runner stand still', async () => {
  const { Date: real, setTimeout, setImmediate, performance } = globalThis;
  process.env.WITH_STORE = '';
  const app = await createTestApp({ dir: made.root });
  let passed = 0;
  const never = (() => {}) as never;
  try {
    await app.post('/api/login', { name: 'Ada' });
    const begin = performance.now();
    Object.defineProperty(globalThis, 'performance', {
      value: { now: () => begin + passed },
      configurable: true,
      writable: true,
    });
    Object.assign(globalThis, { setTimeout: never, setImmediate: never });
    passed = 8 * 86_400_000;
    assert.equal(await json(app.get('/api/me')), { name: null });
    const events = await app.sse('/api/beats');
    assert.is((await events.next()).data, 'begun');
    const socket = await app.ws('/ws/echo');
    socket.send('hello');
    assert.is(await socket.next(), 'hello');
  } finally {
    Object.defineProperty(globalThis, 'performance', {
      value: performance,
      configurable: true,
      writable: true,
    });
    Object.assign(globalThis, { Date: real, setTimeout, setImmediate });
    await app.close();
  }
});

test.run();
