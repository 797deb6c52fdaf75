import * as assert from 'uvu/assert';
import { edit } from '../../harness/edit.js';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';
import { files, visitors } from './project.js';

// A session from its renewal to its end, what happens at one time, and what cannot be kept.

served(files, (test, site) => {
  const { visitor, having } = visitors(site);

  test('a login renews the id: the old one is dead, what it held is kept', async () => {
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

  test('a session that is ended is forgotten, with its cookie', async () => {
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

  test('what is written after the end begins another session', async () => {
    const ann = await having('pen');
    const before = ann.cookie;
    await ann.post('/api/restart');
    assert.ok(ann.cookie && ann.cookie !== before);
    assert.equal(await ann.json('/api/cart'), ['new']);
  });

  test('requests that write different keys at one time lose nothing', async () => {
    const ann = await having('pen');
    const from = site.dev.output.mark();
    const waiting = [ann.post('/api/wait/cart'), ann.post('/api/wait/user')];
    await site.dev.waitFor(/\[waits\][\s\S]*\[waits\]/, from);
    await visitor().post('/api/open');
    await Promise.all(waiting);
    assert.equal(await ann.json('/api/cart'), ['pen', 'late']);
    assert.is(((await ann.json('/api/user')) as { name: string }).name, 'late');
  });

  test('what was ended stays ended, whatever ran beside it', async () => {
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
    ['itself', /ctx\.cart\.items\[0\] holds itself/],
  ] as const) {
    test(`what cannot be stored is reported: ${what}`, async () => {
      const from = site.dev.output.mark();
      const answer = await visitor().post(`/api/bad/${what}`);
      assert.equal([answer.status, answer.headers['set-cookie']], [500, undefined]);
      await site.dev.waitFor(reported, from);
    });
  }

  test('a first value that cannot be stored is reported', async () => {
    const from = site.dev.output.mark();
    assert.is((await visitor().visit('/api/bad-initial')).status, 500);
    await site.dev.waitFor(/ctx\.badMap is a Map, which a session cannot store/, from);
  });

  test('what is written after the response is kept in a session, and reported where there is none', async () => {
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
    await site.dev.waitFor(/\[too late\] the session cannot be renewed: the response has been sent/, from);
  });

  test('where no visitor is served, reading is an error that says so', async () => {
    await site.dev.waitFor(
      /\[job\] ctx\.cart \((src\/)?di\/cart\.[jt]s\) belongs to one visitor, and there is none here/,
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
