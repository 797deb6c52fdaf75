import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { createTestApp } from 'fwkit/testing';

test('a note is added with the key', async () => {
  const app = await createTestApp({ dir: path.join(import.meta.dirname, '..') });
  const headers = { authorization: 'Bearer open sesame' };
  const added = await app.post('/api/notes', { title: 'Tea' }, { headers });
  assert.equal(added.status, 201);
  assert.equal((await added.json()).title, 'Tea');
  assert.equal((await app.post('/api/notes', { title: 'Milk' })).status, 401);
  await app.close();
});
