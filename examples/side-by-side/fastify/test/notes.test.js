import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '../dist/app.js';

test('a note is added with the key', async () => {
  const app = createApp();
  const headers = { authorization: 'Bearer open sesame' };
  const added = await app.inject({ method: 'POST', url: '/api/notes', payload: { title: 'Tea' }, headers });
  assert.equal(added.statusCode, 201);
  assert.equal(added.json().title, 'Tea');
  const stranger = await app.inject({ method: 'POST', url: '/api/notes', payload: { title: 'Milk' } });
  assert.equal(stranger.statusCode, 401);
  await app.close();
});
