import { createServer } from 'node:http';
import express from 'express';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listening } from '../../harness/http.js';
import { project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { running } from '../../harness/running.js';
import { createApp } from '../../harness/settings.js';
import { configFile, route } from '../../harness/source.js';

const slow = (meta: string): string =>
  route('get', '() => new Promise((resolve) => setTimeout(resolve, 400, "late"))').replace(
    /;\s*$/,
    `.meta(${meta});`,
  );

const test = suite('timeouts anywhere');

test('the timeout applies to app.fetch and inside Express', async () => {
  const app = await createApp(project({ 'api/slow.ts': slow('{ timeout: 50 }') }, 'js'), '.');
  const around = express().use(app.middleware);
  const server = createServer(around);
  const url = await listening(server);
  const answers = await Promise.all([
    app.fetch(new Request('http://localhost/api/slow')),
    fetch(`${url}/api/slow`),
  ]);
  for (const { status } of answers) assert.is(status, 503);
  server.close();
  await app.close();
});

test('in fwk dev, an edited timeout applies to the next request', () =>
  running({ 'api/slow.ts': slow('{ timeout: 50 }') }, async ({ server, save }) => {
    assert.is((await server.fetch('/api/slow')).status, 503);
    await save({ 'api/slow.ts': slow('{ timeout: 0 }') });
    assert.is(await (await server.fetch('/api/slow')).text(), '"late"');
    await save({ 'api/slow.ts': slow('{ timeout: 60 }') });
    assert.is((await server.fetch('/api/slow')).status, 503);
  }));

test('reports an invalid timeout and invalid probe paths at boot', async () => {
  const wrong = project({
    'api/a.ts': slow('{ timeout: -1 }'),
    'api/b.ts': slow(`{ timeout: '1s' }`),
    'api/c.ts': slow('{ timeout: Infinity }'),
  });
  const stderr = await refusal(wrong, 'routes');
  for (const sentence of [
    'a.ts: has .meta({ timeout: -1 }). Make it a',
    `b.ts: has .meta({ timeout: "1s" })`,
    'c.ts: has .meta({ timeout: Infinity })',
  ])
    assert.match(stderr, `src/api/${sentence}`);
  wrong.write(
    'fwk.config.ts',
    configFile(`{ health: { live: 'healthz', ready: true, alive: '/x' }, http: { timeout: 1.5 } }`),
  );
  const config = await refusal(wrong, 'routes');
  for (const sentence of [
    /health\.live.* must be a path of letters.*"\/healthz", or false/,
    /health\.ready.* must be a path/,
    /health.*"?alive/,
    /http\.timeout.* must be/,
  ])
    assert.match(config, sentence);
});

test.run();
