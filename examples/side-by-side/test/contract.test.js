import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';

// One suite for all three over real sockets. It checks that clients get the same responses.

const root = path.join(import.meta.dirname, '..');
const KEY = 'a key for the tests';

async function start(framework) {
  const env = { ...process.env, PORT: '0', HOST: '127.0.0.1', API_KEY: KEY };
  const child = spawn(process.execPath, [`${framework}/dist/main.js`], { cwd: root, env });
  const logged = [];
  const seen = new EventEmitter();
  const note = (text) => {
    logged.push(text);
    seen.emit('more');
  };
  child.stderr.setEncoding('utf8').on('data', note);
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      note(line);
      const [, found] = /^listening on (http:\/\/[\w.:]+)/.exec(line) ?? [];
      if (found) resolve(found);
    });
    child.once('exit', () => reject(new Error(logged.join('\n'))));
  });
  const call = async (method, at, body, headers = { authorization: `Bearer ${KEY}` }) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(`${url}/api/notes${at}`, {
      method,
      body: sent,
      headers: { ...headers, ...type },
    });
    const text = await answer.text();
    return { status: answer.status, text, body: text === '' ? undefined : JSON.parse(text) };
  };
  const stop = async () => {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    return (await exit)[0];
  };
  /** Resolves when the log contains the pattern: loggers may write later. */
  const isLogged = async (pattern) => {
    const signal = AbortSignal.timeout(10_000);
    while (!pattern.test(logged.join('\n'))) await once(seen, 'more', { signal });
  };
  return { call, stop, isLogged, kill: () => child.kill('SIGKILL') };
}

/** Checks for an error with a readable message, in JSON. */
function refused({ status, body }, ...statuses) {
  assert.ok(statuses.includes(status), `${status} is none of ${statuses}`);
  assert.ok(body.message.length > 0);
}

for (const framework of ['fwk', 'fastify', 'hono'])
  describe(framework, () => {
    test('notes', async () => {
      const { call, stop, isLogged, kill } = await start(framework);
      try {
        // Create, read, update, delete.
        const added = await call('POST', '', { title: ' Tea ', text: 'Green.' });
        assert.equal(added.status, 201);
        assert.deepEqual(
          Object.keys(added.body).sort(),
          ['at', 'id', 'text', 'title'],
          'nothing internal is sent',
        );
        assert.deepEqual([added.body.id, added.body.title], [1, 'Tea']);
        assert.deepEqual((await call('GET', '/1')).body, added.body);
        assert.deepEqual((await call('GET', '', undefined, {})).body, [added.body]);
        const replaced = await call('PUT', '/1', { title: 'Tea' });
        assert.deepEqual([replaced.status, replaced.body.title, replaced.body.text], [200, 'Tea', '']);

        // Validation.
        for (const body of [{ title: '' }, { title: 'x'.repeat(81) }, { title: 7 }, {}, [], 'null'])
          refused(await call('POST', '', body), 400, 422);
        refused(await call('POST', '', '{"title":'), 400);
        refused(await call('GET', '/one'), 400, 422);

        // The guard, before validation.
        for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
          refused(await call('POST', '', '{"title":', headers), 401);
          refused(await call('PUT', '/1', { title: 'Milk' }, headers), 401);
          refused(await call('DELETE', '/1', undefined, headers), 401);
        }

        // Errors.
        refused(await call('POST', '', { title: 'Tea' }), 409);
        refused(await call('GET', '/99'), 404);
        refused(await call('PUT', '/99', { title: 'Milk' }), 404);
        refused(await call('DELETE', '/99'), 404);
        refused(await call('GET', '/1/nowhere'), 404);
        const failed = await call('GET', '/13');
        refused(failed, 500);
        assert.doesNotMatch(failed.text, /EIO/, 'an internal failure is not revealed');
        await isLogged(/EIO: \/var\/notes\/13/);

        assert.equal((await call('DELETE', '/1')).status, 204);
        refused(await call('GET', '/1'), 404);
        assert.equal(await stop(), 0, 'SIGTERM is an end in order');
      } finally {
        kill();
      }
    });
  });
