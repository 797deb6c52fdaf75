import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { runJob } from '@fwkit/cron';
import { createTestApp } from 'fwkit/testing';

const dir = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'drop-'));
after(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
});
Object.assign(process.env, { DROP_FOLDER: folder, DROP_MAX_FILE: '100K', DROP_MAX_TOTAL: '250K' });

/** Runs a test with an app, and closes the app at the end, even if the test fails. */
const withApp = (run) => async () => {
  const app = await createTestApp({ dir, logger: console });
  try {
    await run(app);
  } finally {
    await app.close();
  }
};
const HOUR = 3_600_000;
const bytes = (size) => Buffer.alloc(size, 'some bytes ');
const send = async (app, name, size, query = '') => {
  const answer = await app.put(`/api/upload/${encodeURIComponent(name)}${query}`, bytes(size));
  return { status: answer.status, body: await answer.json() };
};

test(
  'a file is stored unchanged, and sent whole, as a range, or as a 304',
  withApp(async (app) => {
    const { status, body } = await send(app, 'tea time.txt', 5_000);
    assert.equal(status, 201);
    assert.deepEqual([body.name, body.size], ['tea time.txt', 5_000]);
    assert.equal(body.sha256, createHash('sha256').update(bytes(5_000)).digest('hex'));
    const { key: _, ...known } = body;
    assert.deepEqual(await (await app.get(`/api/files/${body.id}`)).json(), known);

    const whole = await app.get(body.url);
    assert.equal(whole.headers.get('content-disposition'), 'attachment; filename="tea time.txt"');
    assert.equal(whole.headers.get('content-type'), 'application/octet-stream');
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), bytes(5_000));
    const rest = await app.get(body.url, { headers: { range: 'bytes=4990-' } });
    assert.deepEqual([rest.status, rest.headers.get('content-range')], [206, 'bytes 4990-4999/5000']);
    const etag = whole.headers.get('etag');
    assert.equal((await app.get(body.url, { headers: { 'if-none-match': etag } })).status, 304);
  }),
);

test(
  'an upload that is too large is rejected and leaves no file',
  withApp(async (app) => {
    const large = await send(app, 'large', 200_000);
    assert.deepEqual([large.status, large.body.message], [413, 'The file is larger than 100 KB.']);
    for (const name of ['one', 'two']) assert.equal((await send(app, name, 100_000)).status, 201);
    const third = await send(app, 'three', 100_000);
    assert.equal(third.status, 507);
    assert.match(third.body.message, /not enough space/);
    assert.equal(readdirSync(folder).length, 4);
    assert.equal((await (await app.get('/api/space')).json()).used, 200_000);
  }),
);

test(
  'only clients with the key can delete a file',
  withApp(async (app) => {
    const { body } = await send(app, 'mine', 10);
    const remove = (key) =>
      app.del(`/api/files/${body.id}`, undefined, key && { headers: { authorization: `Bearer ${key}` } });
    assert.deepEqual([(await remove()).status, (await remove('wrong')).status], [401, 403]);
    assert.equal((await remove(body.key)).status, 204);
    assert.equal((await remove(body.key)).status, 404);
    assert.equal((await app.get(body.url)).status, 404);
    assert.deepEqual(readdirSync(folder), []);
    assert.equal((await (await app.get('/api/space')).json()).used, 0);
  }),
);

test(
  'files expire, and partial files of dead processes are removed after an hour',
  withApp(async (app) => {
    const { body: short } = await send(app, 'short', 10, '?hours=1');
    const { body: long } = await send(app, 'long', 10);
    const left = path.join(folder, 'AAAAAAAAAAAAAAAAAAAAAA.part');
    writeFileSync(left, 'half of it');
    const at = new Date(Date.now() + 1.5 * HOUR);
    utimesSync(left, at, at);
    assert.equal(await runJob(app, 'expire', { at }), 1);
    assert.equal((await app.get(`/api/files/${short.id}`)).status, 404);
    assert.equal((await app.get(`/api/files/${long.id}`)).status, 200);
    assert.equal(readdirSync(folder).filter((name) => name.endsWith('.part')).length, 1, 'it may be coming');
    assert.equal(await runJob(app, 'expire', { at: new Date(Date.now() + 30 * HOUR) }), 1);
    assert.deepEqual(readdirSync(folder), []);
  }),
);

test(
  'file names are safe to save',
  withApp(async (app) => {
    const names = {
      '/etc/passwd': 'passwd',
      'C:\\Windows\\win.ini': 'win.ini',
      '.bashrc': 'bashrc',
      'photo\u202egpj.exe': 'photogpj.exe',
      'a\r\nSet-Cookie: b': 'aSet-Cookie_ b',
      'con.txt': '_con.txt',
      '  . .  ': 'file',
      'Fußgängerübergänge.pdf': 'Fußgängerübergänge.pdf',
      [`${'ü'.repeat(300)}.tar`]: `${'ü'.repeat(98)}.tar`,
    };
    for (const [given, expected] of Object.entries(names))
      assert.equal((await send(app, given, 1)).body.name, expected, given);
    // This path matches no route.
    assert.equal((await send(app, '../../etc/passwd', 1)).status, 404);
  }),
);

test(
  'the form accepts several files and shows the result of each one',
  withApp(async (app) => {
    const form = new FormData();
    form.append('files', new File([bytes(20)], '<b>one</b>.txt'));
    form.append('files', new File([bytes(30)], 'two.txt'));
    const page = await (await app.post('/', form)).text();
    assert.match(page, /_b_one__b_\.txt|b_\.txt/);
    assert.match(page, /two\.txt<\/a>/);
    assert.equal(readdirSync(folder).length, 4);
    const none = await app.post('/', new FormData());
    assert.equal(none.status, 400);
    assert.match(await none.text(), /Choose a file first\./);
  }),
);
