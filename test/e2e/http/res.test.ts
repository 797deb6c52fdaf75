import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';

// The members of res.

const files: Files = {
  'api/object.ts': route('get', '() => ({})'),
  'api/created.post.ts': route('post', '(req, res) => { res.status(201); return { id: 1 }; }'),
  'api/accepted.post.ts': route('post', '(req, res) => { res.status(202); }'),
  'api/headers.ts': route(
    'get',
    `(req, res) => { res.status(202).header('X-One', '1').type('application/vnd.x+json').cookie('a', '1'); return { ok: 1 }; }`,
  ),
  'api/cookies.ts': route(
    'get',
    `(req, res) => { res.cookie('a', 'x; y=é', { path: '/p', maxAge: 60 }).cookie('b', '2').clearCookie('c'); }`,
  ),
  'api/away.ts': route('get', `(req, res) => res.redirect('/api/object')`),
  'api/moved.ts': route('get', `(req, res) => { res.redirect('/api/object', 301); }`),
  'api/send.ts': route(
    'get',
    `(req, res) => { res.type('text/plain').send('sent'); return { not: 'this' }; }`,
  ),
  'api/json.ts': route('get', '(req, res) => { res.status(201).json({ by: "json" }); }'),
  'api/end.ts': route('get', '(req, res) => { res.status(202).end(); }'),
  'api/before-head.ts': route(
    'get',
    `async (req, res) => {
       res.beforeHead(() => res.header('x-first', res.statusCode)).beforeHead(async () => { await null; res.header('x-second', 2); });
       res.status(201).json({ by: 'json' });
       return 'not this';
     }`,
  ),
  'api/before-head/throws.ts': route(
    'get, error',
    `(req, res) => { res.beforeHead(() => { throw error(418, 'no head'); }); res.json({ by: 'json' }); }`,
  ),
  'api/before-head/after-sending.ts': route(
    'get',
    `(req, res) => { res.beforeHead(() => null); res.json({ by: 'json' }); throw new Error('after sending'); }`,
  ),
  'api/sent.ts': route(
    'get',
    '(req, res) => { const before = res.sent; res.json({ before }); console.log("sent is", res.sent); }',
  ),
};

served(files, (test, site) => {
  test('res: status, header, type and cookie chain and hold for what is returned', async () => {
    const created = await site.raw('/api/created', { method: 'POST' });
    assert.equal([created.status, created.json], [201, { id: 1 }]);
    const accepted = await site.raw('/api/accepted', { method: 'POST' });
    assert.equal([accepted.status, accepted.text], [202, '']);
    const { status, headers, json } = await site.raw('/api/headers');
    assert.equal([status, headers['x-one'], json], [202, '1', { ok: 1 }]);
    assert.match(String(headers['content-type']), /^application\/vnd\.x\+json/);
    assert.match(String(headers['set-cookie']), /^a=1/);
  });

  test('res: cookies are one header each and cannot be split', async () => {
    const cookies = (await site.raw('/api/cookies')).headers['set-cookie'] ?? [];
    assert.is(cookies.length, 3);
    assert.match(cookies[0] ?? '', /^a=x%3B%20y%3D%C3%A9;/);
    assert.match(cookies[0] ?? '', /Path=\/p/);
    assert.match(cookies[0] ?? '', /Max-Age=60/);
    assert.match(cookies[1] ?? '', /^b=2/);
    assert.match(cookies[2] ?? '', /^c=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/);
  });

  test('res: redirect, send, json and end answer at once', async () => {
    const away = await site.fetch('/api/away');
    assert.equal([away.status, away.headers.get('location')], [302, '/api/object']);
    assert.is((await site.fetch('/api/moved')).status, 301);
    assert.is((await site.raw('/api/send')).text, 'sent');
    const json = await site.raw('/api/json');
    assert.equal([json.status, json.json], [201, { by: 'json' }]);
    const end = await site.raw('/api/end');
    assert.equal([end.status, end.text], [202, '']);
    const from = site.dev.output.mark();
    assert.equal((await site.raw('/api/sent')).json, { before: false });
    await site.dev.waitFor(/sent is true/, from);
  });

  test('res: beforeHead has the last word on the head, which waits for it', async () => {
    const { status, headers, json } = await site.raw('/api/before-head');
    assert.equal([status, headers['x-first'], headers['x-second'], json], [201, '201', '2', { by: 'json' }]);
    const thrown = await site.raw('/api/before-head/throws');
    assert.equal([thrown.status, thrown.json], [418, { message: 'no head' }]);
    const from = site.dev.output.mark();
    assert.equal((await site.raw('/api/before-head/after-sending')).json, { by: 'json' });
    await site.dev.waitFor(/failed in .*after-sending\.[jt]s:\nError: after sending/, from);
  });
});
