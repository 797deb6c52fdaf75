import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf, codeOf } from '../../harness/documents.js';
import { freePort } from '../../harness/free-port.js';
import { launch } from '../../harness/fwk.js';
import { linkLibraries, linkRecipeTools } from '../../harness/libraries.js';
import { recipeTools } from '../../harness/packages.js';
import { project } from '../../harness/project.js';
import { redisServer } from '../../harness/redis.js';
import { build, MAIN, production, TSCONFIG } from '../../harness/settings.js';

// Object storage, Bull Board and Node's profilers, as the pages describe them.

const test = suite('recipes of operations');

test('docs/recipes/uploads.md: a body streamed to an S3-compatible server', async () => {
  const block = blocksOf('docs/recipes/uploads.md').find(({ text }) => text.includes('@aws-sdk'));
  const made = project({
    'main.ts': MAIN,
    'tsconfig.json': TSCONFIG,
    'api/videos.put.ts': block?.text ?? '',
  });
  linkRecipeTools(made, '@aws-sdk/client-s3', '@aws-sdk/lib-storage');
  await build(made);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const program = path.join(recipeTools(), 'node_modules/s3rver/bin/s3rver.js');
  const storage = launch(
    process.execPath,
    [
      program,
      '--directory',
      made.root,
      '--address',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--configure-bucket',
      'videos',
    ],
    made.root,
  );
  await storage.output.waitFor(/listening/);
  const app = await production(made, 'dist/main.js', process.execPath, [
    `AWS_ENDPOINT_URL=${endpoint}`,
    'AWS_REGION=us-east-1',
    'AWS_ACCESS_KEY_ID=S3RVER',
    'AWS_SECRET_ACCESS_KEY=S3RVER',
    // s3rver does not know the checksums in trailers that the SDK adds by default.
    'AWS_REQUEST_CHECKSUM_CALCULATION=WHEN_REQUIRED',
  ]);
  try {
    const body = 'x'.repeat(6_000_000);
    const sent = await fetch(`${app.url}/api/videos`, { method: 'PUT', body });
    assert.is(sent.status, 200, app.output.all);
    const { key } = (await sent.json()) as { key: string };
    const stored = readFileSync(path.join(made.root, 'videos', `${key}._S3rver_object`), 'utf8');
    assert.is(stored, body);
  } finally {
    storage.child.kill('SIGKILL');
    await app.stop();
  }
});

test('docs/operate/faults.md: Bull Board behind a password', async () => {
  const page = 'docs/operate/faults.md';
  const textOf = (part: string) => blocksOf(page).find(({ text }) => text.includes(part))?.text ?? '';
  const server = await redisServer();
  const made = project(
    {
      'web/admin/jobs/[...rest].js': textOf('createBullBoard'),
      'web/admin/jobs/index.js': textOf("from './[...rest].js'"),
      'web/admin/_middleware.js': textOf('ADMIN_PASSWORD'),
      'seed.js': `import { Queue } from 'bullmq';
const queue = new Queue('mail', { connection: { url: process.env.REDIS_URL }, prefix: 'fwk:shop:queue' });
await queue.add('mail', { to: 'ada' });
await queue.close();
`,
      'main.js': MAIN,
    },
    'js',
  );
  linkLibraries(made, 'express');
  linkRecipeTools(made, '@bull-board/api', '@bull-board/express', 'bullmq', 'ioredis');
  const variables = [`REDIS_URL=${server.url}`, 'ADMIN_PASSWORD=secret'];
  await launch('/usr/bin/env', [...variables, process.execPath, 'seed.js'], made.root).end;
  const app = await production(made, 'main.js', process.execPath, variables);
  const ask = (at: string, password = 'secret') =>
    fetch(app.url + at, { headers: { authorization: `Basic ${btoa(`admin:${password}`)}` } });
  try {
    assert.is((await ask('/admin/jobs', 'wrong')).status, 401);
    const html = await (await ask('/admin/jobs')).text();
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(html) ?? [];
    const at = new URL(script, `${app.url}/admin/jobs/`).pathname;
    assert.is((await ask(at)).status, 200, html);
    const queues = await (await ask('/admin/jobs/api/queues?activeQueue=mail&status=waiting')).text();
    assert.match(queues, '"to":"ada"');
  } finally {
    app.child.kill('SIGTERM');
    await Promise.race([app.end, after(5_000)]);
    app.child.kill('SIGKILL');
    await server.stop();
  }
});

test('docs/operate/debugging.md: a CPU profile and a heap snapshot', async () => {
  const commands = codeOf('docs/operate/debugging.md').flatMap((text) => text.split('\n'));
  const flagOf = (name: string) =>
    commands
      .find((line) => line.includes(name))
      ?.split(' ')
      .find((word) => word.includes(name)) ?? '';
  const made = project(
    { 'main.js': MAIN, 'api/hello.get.js': "import { get } from 'fwkit';\nexport default get(() => 1);\n" },
    'js',
  );
  const flags = [flagOf('--cpu-prof'), flagOf('--heapsnapshot-signal')];
  const address = ['PORT=0', 'HOST=127.0.0.1'];
  const app = launch('/usr/bin/env', [...address, process.execPath, ...flags, 'main.js'], made.root);
  const [, url = ''] = await app.output.waitFor(/listening on (\S+)\//i);
  const written = (extension: string) => readdirSync(made.root).some((file) => file.endsWith(extension));
  assert.is((await fetch(`${url}/api/hello`)).status, 200);
  app.child.kill('SIGUSR2');
  while (!written('.heapsnapshot')) await after(50);
  assert.is((await fetch(`${url}/api/hello`)).status, 200);
  await app.stop();
  assert.ok(written('.cpuprofile'));
});

test.run();
