import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '../dist/app.js';

test('a note is added with the key', async () => {
  const app = createApp();
  const headers = { authorization: 'Bearer open sesame', 'content-type': 'application/json' };
  const added = await app.request('/api/notes', { method: 'POST', body: '{"title":"Tea"}', headers });
  assert.equal(added.status, 201);
  assert.equal((await added.json()).title, 'Tea');
  assert.equal((await app.request('/api/notes', { method: 'POST', body: '{}' })).status, 401);
});
