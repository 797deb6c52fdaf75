import * as assert from 'uvu/assert';
import { edit } from '../../harness/edit.js';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';
import { files, visitors } from './project.js';

served(files, (test, site) => {
  const { visitor, having } = visitors(site);

  test('a visitor who only reads gets values and no cookie', async () => {
    const reader = visitor();
    const cart = await reader.visit('/api/cart');
    assert.equal(cart.json, []);
    const user = await reader.visit('/api/user', { headers: { 'accept-language': 'de' } });
    assert.equal(user.json, { name: null, language: 'de' });
    assert.equal(
      [cart, user].map(({ headers }) => headers['set-cookie']),
      [undefined, undefined],
    );
  });

  test('stores written values for that visitor', async () => {
    const [ann, ben] = [await having('pen'), await having('ink')];
    assert.equal((await ann.post('/api/add/cap')).json, ['pen', 'cap']);
    assert.equal(await ann.json('/api/cart'), ['pen', 'cap']);
    assert.equal(await ben.json('/api/cart'), ['ink']);
    assert.equal(await visitor().json('/api/cart'), []);
  });

  test('the cookie is signed, HttpOnly, SameSite=Lax, and Secure behind https', async () => {
    const plain = await visitor().post('/api/add/pen');
    const pattern = /^session=[\w-]{32}\.[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/;
    assert.match(plain.headers['set-cookie']?.join() ?? '', pattern);
    const https = await visitor().visit('/api/add/pen', {
      method: 'POST',
      headers: { 'x-forwarded-proto': 'https' },
    });
    assert.match(https.headers['set-cookie']?.join() ?? '', /; HttpOnly; Secure; SameSite=Lax$/);
  });

  test('a visitor with a session who only reads gets no new cookie', async () => {
    const ann = await having('pen');
    for (const path of ['/api/cart', '/api/user', '/api/plain'])
      assert.is((await ann.visit(path)).headers['set-cookie'], undefined, path);
  });

  test('middlewares and request-scoped values see the same session as handlers', async () => {
    const ann = await having('pen', 'ink');
    assert.is((await ann.visit('/api/cart')).headers['x-count'], '2');
    assert.equal(await ann.json('/api/cart?by=middleware'), ['pen', 'ink', 'from a middleware']);
    assert.is((await ann.visit('/api/plain')).headers['x-count'], '3');
  });

  for (const [path, status, body] of [
    ['redirect', 303, ''],
    ['empty', 204, ''],
    ['stream', 200, 'ab'],
    ['web', 200, 'text'],
    ['refused', 409, '{"message":"no"}'],
  ] as const) {
    test(`every response sends the cookie: ${path}`, async () => {
      const ann = visitor();
      const answer = await ann.post(`/api/${path}/pen`);
      assert.equal([answer.status, answer.text], [status, body]);
      assert.equal(await ann.json('/api/cart'), ['pen']);
      if (path === 'web') assert.is(answer.headers['set-cookie']?.length, 2);
    });
  }

  test('a forged or invalid cookie belongs to no visitor', async () => {
    const ann = await having('pen');
    const cookie = ann.cookie ?? '';
    const other = (await having('ink')).cookie ?? '';
    const [id = '', signature = ''] = cookie.split('.');
    const flipped = (text: string) => text.slice(0, -1) + (text.endsWith('A') ? 'E' : 'A');
    const forged = [
      `${flipped(id)}.${signature}`,
      `${id}.${flipped(signature)}`,
      `${id}.${signature}A`,
      `${id}.${signature}=`,
      `${id}.`,
      id,
      `${id}.${other.split('.')[1]}`,
      'session=',
      'session=.',
      'session=__proto__',
      'session=%00',
      `mysession=${cookie.slice('session='.length)}`,
    ];
    for (const one of forged) {
      const answer = await visitor(one).visit('/api/cart');
      assert.equal([answer.status, answer.json, answer.headers['set-cookie']], [200, [], undefined], one);
    }
    const fresh = visitor(forged[0]);
    await fresh.post('/api/add/cap');
    assert.equal(await fresh.json('/api/cart'), ['cap']);
    assert.not.equal(fresh.cookie?.split('.')[0], forged[0]?.split('.')[0]);
    assert.equal(await ann.json('/api/cart'), ['pen']);
  });

  test('session values are available, and stored, for 404, 405 and OPTIONS', async () => {
    const ann = visitor();
    for (const [path, method, status] of [
      ['/api/plain', 'GET', 200],
      ['/api/nowhere', 'GET', 404],
      ['/api/plain', 'PUT', 405],
      ['/api/plain', 'OPTIONS', 204],
      ['/api/%zz', 'GET', 400],
    ] as const) {
      const answer = await ann.visit(`${path}?by=middleware`, { method });
      assert.is(answer.status, status, `${method} ${path}`);
    }
    assert.is((await ann.visit('/api/plain?by=middleware')).headers['x-count'], '6');
  });

  test('a login renews the ID, invalidates the old one, and keeps the values', async () => {
    const ann = await having('pen');
    const planted = ann.cookie;
    await ann.post('/api/login/ann');
    assert.is.not(ann.cookie, planted);
    assert.equal(await ann.json('/api/cart'), ['pen']);
    assert.is(((await ann.json('/api/user')) as { name: string }).name, 'ann');
    const thief = visitor(planted);
    assert.equal(await thief.json('/api/user'), { name: null, language: 'en' });
    assert.equal(await thief.json('/api/cart'), []);
  });

  test('a login without a session begins one', async () => {
    const ann = visitor();
    await ann.post('/api/login/ann');
    assert.is(((await ann.json('/api/user')) as { name: string }).name, 'ann');
  });

  test('ending a session deletes it and its cookie', async () => {
    const ann = await having('pen');
    const kept = ann.cookie;
    const answer = await ann.post('/api/logout');
    assert.equal(answer.json, []);
    assert.match(
      answer.headers['set-cookie']?.join() ?? '',
      /^session=; Max-Age=0; Path=\/; Expires=.*1970.*; HttpOnly; SameSite=Lax$/,
    );
    assert.equal(await visitor(kept).json('/api/cart'), []);
    assert.is((await visitor().post('/api/logout')).headers['set-cookie'], undefined);
  });

  test('a write after the end begins another session', async () => {
    const ann = await having('pen');
    const before = ann.cookie;
    await ann.post('/api/restart');
    assert.ok(ann.cookie && ann.cookie !== before);
    assert.equal(await ann.json('/api/cart'), ['new']);
  });

  test('concurrent writes of different keys are all kept', async () => {
    const ann = await having('pen');
    const from = site.dev.output.mark();
    const waiting = [ann.post('/api/wait/cart'), ann.post('/api/wait/user')];
    await site.dev.waitFor(/\[waits\][\s\S]*\[waits\]/, from);
    await visitor().post('/api/open');
    await Promise.all(waiting);
    assert.equal(await ann.json('/api/cart'), ['pen', 'late']);
    assert.is(((await ann.json('/api/user')) as { name: string }).name, 'late');
  });

  test('an ended session stays ended despite concurrent requests', async () => {
    for (const end of ['/api/logout', '/api/login/ann']) {
      const ann = await having('pen');
      const old = ann.cookie;
      const from = site.dev.output.mark();
      const waiting = visitor(old).post('/api/wait/cart');
      await site.dev.waitFor(/\[waits\]/, from);
      await ann.post(end);
      await visitor().post('/api/open');
      assert.is((await waiting).headers['set-cookie'], undefined);
      assert.equal(await visitor(old).json('/api/cart'), []);
    }
  });

  for (const [what, reported] of [
    ['map', /ctx\.cart\.items\[0\] is a Map, which a session cannot store/],
    ['date', /ctx\.cart\.items\[0\] is a Date, which/],
    ['nan', /ctx\.cart\.items\[0\] is NaN, which/],
    ['function', /ctx\.cart\.items\[0\] is a function, which/],
    ['itself', /ctx\.cart\.items\[0\] contains itself/],
  ] as const) {
    test(`a value that cannot be stored is reported: ${what}`, async () => {
      const from = site.dev.output.mark();
      const answer = await visitor().post(`/api/bad/${what}`);
      assert.equal([answer.status, answer.headers['set-cookie']], [500, undefined]);
      await site.dev.waitFor(reported, from);
    });
  }

  test('an initial value that cannot be stored is reported', async () => {
    const from = site.dev.output.mark();
    assert.is((await visitor().visit('/api/bad-initial')).status, 500);
    await site.dev.waitFor(/ctx\.badMap is a Map, which a session cannot store/, from);
  });

  test('a write after the response is stored in an existing session, and reported otherwise', async () => {
    const ann = await having('pen');
    const before = ann.cookie;
    await ann.post('/api/late/ann');
    const from = site.dev.output.mark();
    assert.is((await visitor().post('/api/late/ben')).headers['set-cookie'], undefined);
    await site.dev.waitFor(/FWK411 POST \/api\/late\/ben wrote ctx\.user after its response/, from);
    assert.is(ann.cookie, before);
    assert.is(((await ann.json('/api/user')) as { name: string }).name, 'ann');
  });

  test('a session cannot be renewed after the response', async () => {
    const from = site.dev.output.mark();
    await (await having('pen')).visit('/api/too-late');
    await site.dev.waitFor(
      /\[too late\] the session cannot be renewed, because the response has been sent/,
      from,
    );
  });

  test('reading a session value without a visitor is an error that explains the cause', async () => {
    await site.dev.waitFor(
      /\[job\] ctx\.cart \((src\/)?di\/cart\.[jt]s\) is a session value, and there is no visitor here/,
    );
  });

  test('a reload keeps sessions', async () => {
    const ann = await having('pen');
    const edited = route('get', `() => 'edited'`);
    await edit(site, () => site.project.write('api/plain.ts', edited), '/api/plain', 'edited');
    assert.equal(await ann.json('/api/cart'), ['pen']);
    await ann.post('/api/add/ink');
    assert.equal(await ann.json('/api/cart'), ['pen', 'ink']);
  });
});
