import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { installed } from '../../harness/installed.js';
import { type Files, layouts, project } from '../../harness/project.js';
import { route, service, tells } from '../../harness/source.js';

const files: Files = {
  'web/get.ts': tells('get', 'home'),
  'web/blog/[slug].get.ts': tells('get', 'blog'),
  'web/docs/[...rest].get.ts': tells('get', 'docs'),
  'api/users.post.ts': tells('post', 'users'),
  'api/users.get.ts': tells('get', 'users'),
  'api/users/[id]/del.ts': tells('del', 'user'),
  'api/users/[id].get.ts': tells('get', 'user'),
  'api/users/me.get.ts': tells('get', 'me'),
  'api/(group)/proxy.ts': tells('all', 'proxy'),
  'api/asset.head.ts': tells('head', 'asset'),
  'api/cors.options.ts': tells('options', 'cors'),
  'api/name.patch.ts': tells('patch', 'name'),
  'api/name.put.ts': tells('put', 'name'),
  // The output of a project's modules is not part of the table.
  'api/talks.ts': `console.log('GET /printed'); console.info('info');\n${route('get', '() => 1')}`,
  'services/talks.ts': service(`(ctx) => { ctx.logger.info('info'); console.log('log'); }`),
};

const table = `GET /
HEAD /api/asset
OPTIONS /api/cors
PATCH /api/name
PUT /api/name
ALL /api/proxy
GET /api/talks
GET /api/users
POST /api/users
DELETE /api/users/:id
GET /api/users/:id
GET /api/users/me
GET /blog/:slug
GET /docs/*rest
`;

for (const layout of layouts) {
  const test = suite(layout);

  test('fwk routes prints one line per route to a pipe, sorted by path and method', async () => {
    assert.equal(await fwk(project(files, layout), 'routes'), { status: 0, stdout: table, stderr: '' });
  });

  test('a module that waits for its output boots although the output is discarded', async () => {
    const waits = [
      `await new Promise((done) => process.stdout.write('first', done));`,
      `await new Promise((done) => process.stdout.write('second', 'utf8', done));`,
      route('get', '() => 1'),
    ];
    const made = project({ 'api/waits.ts': waits.join('\n') }, layout);
    assert.equal(await fwk(made, 'routes'), { status: 0, stdout: 'GET /api/waits\n', stderr: '' });
  });

  test('fwk routes, --openapi and fwk mcp create no service, because secrets may be missing', async () => {
    const made = project(
      {
        'services/mail.ts': service(`() => { throw new Error('MAIL_KEY is not set'); }`),
        'api/users.get.ts': route('get', '{ tool: true }, () => 1'),
      },
      layout,
    );
    assert.equal(await fwk(made, 'routes'), { status: 0, stdout: 'GET /api/users\nMCP /mcp\n', stderr: '' });
    assert.ok('/api/users' in JSON.parse((await fwk(made, 'routes', '--openapi')).stdout).paths);
    assert.match((await fwk(made, 'mcp')).stdout, /^tool getUsers$/m);
  });

  test('fwk routes reports a project without routes and prints nothing to stdout', async () => {
    const empty = project({ 'services/x.ts': service('() => 1') }, layout);
    const stderr = 'There are no routes: no convention that is switched on has a file of one.\n';
    assert.equal(await fwk(empty, 'routes'), { status: 0, stdout: '', stderr });
  });

  test('--dir sets the root for every command', async () => {
    const made = project(files, layout);
    const elsewhere = { root: path.dirname(made.root) };
    for (const dir of [made.root, path.basename(made.root), `./${path.basename(made.root)}/`]) {
      assert.is((await fwk(elsewhere, 'routes', '--dir', dir)).stdout, table, dir);
    }
    assert.is((await fwk(elsewhere, 'routes', `--dir=${made.root}`)).stdout, table);
    assert.is((await fwk(elsewhere, 'types', '--dir', path.basename(made.root))).status, 0);
    assert.ok(made.exists('.fwk/types.d.ts'));
    const server = await dev(elsewhere, '--dir', made.root);
    const { status } = await server.fetch('/api/users');
    await server.stop();
    assert.is(status, 200);
  });

  test('--host sets the address of fwk dev', async () => {
    const server = await dev(project(files, layout), '--host', '127.0.0.1');
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const { status } = await server.fetch('/api/users');
    await server.stop();
    assert.is(status, 200);
  });

  test('fwk dev writes the types and exits with 0 on SIGINT and SIGTERM', async () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const made = project(files, layout);
      const server = await dev(made);
      assert.ok(made.exists('.fwk/types.d.ts'));
      const { stdout, stderr } = await server.stop(signal);
      assert.match(stdout, new RegExp(`^ +➜ +${server.url}/$`, 'm'));
      assert.not.match(stderr, /^\s+at /m);
    }
  });

  test.run();
}

const help = suite('help');
const nowhere = { root: installed() };

help('--help names every command and every global flag', async () => {
  const { status, stdout, stderr } = await fwk(nowhere, '--help');
  assert.equal([status, stderr], [0, '']);
  for (const word of ['fwk', 'dev', 'routes', 'types', 'scaffold', 'skills', '--dir', '--help', '--version'])
    assert.match(stdout, word);
});

for (const [command, ...flags] of [
  ['dev', '--port', '3000', '--host', 'localhost', '--dir', '--help'],
  ['routes', '--verbose', '--dir', '--help'],
  ['types', '--dir', '--help'],
  ['scaffold', '--js', '--force', '--dir', '--help'],
  ['skills', '--ide', '--force', '--dir', '--help'],
] as const) {
  help(`fwk ${command} --help names its flags`, async () => {
    const { status, stdout, stderr } = await fwk(nowhere, command, '--help');
    assert.equal([status, stderr], [0, '']);
    for (const word of [command, ...flags]) assert.match(stdout, word);
    if (command === 'types') assert.not.match(stdout, '--port');
  });
}

help('--version prints the version of the installed package', async () => {
  const manifest = path.join(installed(), 'node_modules/fwkit/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const { status, stdout } = await fwk(nowhere, '--version');
  assert.is(status, 0);
  assert.match(stdout, new RegExp(`(^|\\s)${version.replaceAll('.', '\\.')}\\s*$`));
});

help.run();
