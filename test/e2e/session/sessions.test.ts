import * as assert from 'uvu/assert';
import { served } from '../../harness/served.js';
import { files, visitors } from './project.js';

// Values that belong to one visitor: the cookie, and who gets what.

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

  test('what is written is kept, for that visitor', async () => {
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

  test('who has a session and only reads gets no cookie again', async () => {
    const ann = await having('pen');
    for (const path of ['/api/cart', '/api/user', '/api/plain'])
      assert.is((await ann.visit(path)).headers['set-cookie'], undefined, path);
  });

  test('middlewares and request values see what handlers see', async () => {
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
    test(`whatever the answer, it carries the cookie: ${path}`, async () => {
      const ann = visitor();
      const answer = await ann.post(`/api/${path}/pen`);
      assert.equal([answer.status, answer.text], [status, body]);
      assert.equal(await ann.json('/api/cart'), ['pen']);
      if (path === 'web') assert.is(answer.headers['set-cookie']?.length, 2);
    });
  }

  test('a cookie that was tampered with, or is none, is nobody’s', async () => {
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
});
