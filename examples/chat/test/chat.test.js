import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { createTestApp } from 'fwkit/testing';

const dir = path.join(import.meta.dirname, '..');
const headers = { 'content-type': 'application/x-www-form-urlencoded' };
const form = (fields) => new URLSearchParams(fields).toString();

const withApp = (run) => async () => {
  const app = await createTestApp({ dir });
  try {
    await run(app);
  } finally {
    await app.close();
  }
};

test(
  'only visitors with a nickname can join a room',
  withApp(async (app) => {
    const stranger = await app.get('/rooms/tea');
    assert.deepEqual([stranger.status, stranger.headers.get('location')], [303, '/?room=tea']);
    const named = await app.post('/nickname', form({ nickname: ' Ada  L. ', room: 'tea' }), { headers });
    assert.deepEqual([named.status, named.headers.get('location')], [303, '/rooms/tea']);
    assert.match(await (await app.get('/rooms/tea')).text(), /You are Ada L\./);
    assert.equal((await app.get('/rooms/cellar')).status, 404);
  }),
);

test(
  'a nickname contains only readable characters',
  withApp(async (app) => {
    for (const nickname of ['', ' ', 'x'.repeat(25), '<b>', 'a\u202eb', '\u200b', '-'])
      assert.equal((await app.post('/nickname', form({ nickname }), { headers })).status, 422, nickname);
    for (const nickname of ['Ада', "O'Brien", 'José-María', '李', '42'])
      assert.equal((await app.post('/nickname', form({ nickname }), { headers })).status, 303, nickname);
    const again = await app.post('/nickname', form({ nickname: '"><script>' }), { headers });
    assert.doesNotMatch(await again.text(), /"><script>/);
  }),
);

test(
  'the room keeps only the last messages, in order',
  withApp(async (app) => {
    const history = app.ctx.history('tea');
    const line = (text) => ({ by: 'Ada', text, at: new Date().toISOString() });
    const ids = [];
    for (const text of ['one', 'two', 'three']) ids.push(await history.append(line(text)));
    const end = new AbortController();
    const read = [];
    for await (const { data } of history.since(ids[0], end.signal)) {
      read.push(data.text);
      if (read.length === 2) end.abort();
    }
    assert.deepEqual(read, ['two', 'three']);
  }),
);
