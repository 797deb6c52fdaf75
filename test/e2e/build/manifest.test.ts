import { existsSync, symlinkSync, utimesSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { node } from '../../harness/nodes.js';
import { type Files, project } from '../../harness/project.js';
import { sampled, unsampled } from '../../harness/sample.js';
import { build, builtOnce, MAIN, production, TSCONFIG } from '../../harness/settings.js';
import { module, route, service } from '../../harness/source.js';

// With the manifest of `fwk build`, production imports a route on its first request. An outdated entry is ignored.

const test = suite('manifest');

const tells = (name: string, exported: string) => `console.log('[import ${name}]');\n${exported}`;

const files: Files = {
  'tsconfig.json': TSCONFIG,
  'main.ts': MAIN,
  'services/pool.ts': service(`() => { console.log('[make pool]'); return { name: 'pool' }; }`),
  'middlewares/1.guard.ts': module(
    'middleware, error',
    `export default middleware((req, res, ctx, next) => {
       if ('secret' in req.route.meta) throw error(403, 'secret');
       return next();
     });`,
  ),
  'api/quick.ts': tells('quick', route('get', '(req, res, ctx) => ctx.pool.name')),
  'api/late.post.ts': tells('late', route('post', '(req) => req.body')),
  'api/secret.ts': tells(
    'secret',
    module('get', `export default get(() => 'open').meta({ secret: true } as object);`),
  ),
  'api/special.ts': tells(
    'special',
    module('get', `export default get(() => 'special').meta({ only: () => true } as object);`),
  ),
};

const built = builtOnce(files);

async function stop({ child, end }: Awaited<ReturnType<typeof production>>) {
  child.kill('SIGTERM');
  const { status } = await end;
  assert.is(status, 0);
}

test('a build checks the routes without starting the app, and production imports a route on its first request', async () => {
  const made = project(files);
  const { stdout } = await build(made);
  assert.match(stdout, /^dist\/fwk\.manifest\.json$/m);
  assert.match(stdout, '[import late]');
  assert.not.match(stdout, '[make pool]');

  const server = await production(made);
  const imported = () => [...server.output.stdout.matchAll(/\[import (\w+)\]/g)].map(([, name]) => name);
  // Metadata that is no JSON cannot be written down, so this one is imported at the start.
  assert.equal(imported(), ['special']);
  assert.is(await (await fetch(`${server.url}/api/quick`)).json(), 'pool');
  assert.is(await (await fetch(`${server.url}/api/quick`)).json(), 'pool');
  assert.equal(imported(), ['special', 'quick']);
  assert.is((await fetch(`${server.url}/api/secret`)).status, 403);
  assert.is((await fetch(`${server.url}/api/late`)).status, 405);
  const headers = { 'content-type': 'application/json' };
  const late = await fetch(`${server.url}/api/late`, { method: 'POST', headers, body: '[1]' });
  assert.equal(await late.json(), [1]);
  await stop(server);
});

test('a changed directory is scanned again', async () => {
  const made = await built();
  const text = made.read('dist/api/quick.js').replace('get(', 'post(').replace('{ get }', '{ post }');
  made.write('dist/api/quick.js', text);
  const server = await production(made);
  assert.is((await fetch(`${server.url}/api/quick`)).status, 405);
  assert.is((await fetch(`${server.url}/api/quick`, { method: 'POST' })).status, 200);
  await stop(server);
});

unsampled(test)('a copied directory still matches the manifest', async () => {
  const made = await built();
  const later = new Date(Date.now() + 60_000);
  utimesSync(made.path('dist/api/quick.js'), later, later);
  const server = await production(made);
  assert.not.match(server.output.stdout, '[import quick]');
  assert.is(await (await fetch(`${server.url}/api/quick`)).json(), 'pool');
  await stop(server);
});

unsampled(test)('files that a build step of a plugin changes are checked again', async () => {
  const made = project({
    ...files,
    'fwk.config.ts': `// @ts-nocheck
      import { readFileSync, writeFileSync } from 'node:fs';
      const edit = () => {
        const text = readFileSync('dist/api/quick.js', 'utf8');
        writeFileSync('dist/api/quick.js', text.replace('get(', 'post(').replace('{ get }', '{ post }'));
      };
      const additions = [{ command: 'build', load: async () => ({ run: edit }) }];
      export default { plugins: [{ name: 'edits', apply() {}, additions }] };\n`,
  });
  await build(made);
  assert.match(made.read('dist/api/quick.js'), 'post(');
  const server = await production(made);
  assert.is((await fetch(`${server.url}/api/quick`)).status, 405);
  await stop(server);
});

unsampled(test)('files added or removed after the build are noticed anywhere', async () => {
  const made = await built();
  for (const folder of ['api', 'web'])
    made.write(`dist/${folder}/new.js`, tells('new', route('get', `() => '${folder}'`)));
  made.remove('dist/api/secret.js');
  const server = await production(made);
  assert.is(await (await fetch(`${server.url}/api/new`)).json(), 'api');
  assert.is(await (await fetch(`${server.url}/new`)).json(), 'web');
  assert.is((await fetch(`${server.url}/api/secret`)).status, 404);
  await stop(server);
});

test('a missing manifest, or one of another version, is ignored', async () => {
  for (const text of sampled(['{ "tree": "x", "facts": {} }', '{', 'null'])) {
    const made = await built();
    made.write('dist/fwk.manifest.json', text);
    const server = await production(made);
    assert.match(server.output.stdout, '[import quick]');
    assert.is(await (await fetch(`${server.url}/api/quick`)).json(), 'pool');
    await stop(server);
  }
});

unsampled(test)('a directory with a symbolic link is scanned, because the target may change', async () => {
  const made = await built();
  made.write('elsewhere.js', made.read('dist/api/quick.js'));
  made.remove('dist/api/quick.js');
  symlinkSync('../../elsewhere.js', made.path('dist/api/quick.js'));
  await build(made);
  assert.match(made.read('dist/fwk.manifest.json'), '"stamps":{}');
});

unsampled(test)(
  'a newer Node keeps the compiled code of the project unless caching is disabled or impossible',
  async () => {
    const made = await built();
    for (const [folder, setting, isKept] of [
      ['kept', 'A=1', true],
      ['off', 'NODE_DISABLE_COMPILE_CACHE=1', false],
      ['dist/main.js', 'A=1', false],
    ] as const) {
      const server = await production(made, 'dist/main.js', node(22), [
        `TMPDIR=${made.path(folder)}`,
        setting,
      ]);
      assert.is(await (await fetch(`${server.url}/api/quick`)).json(), 'pool');
      server.child.kill('SIGTERM');
      const { status, stderr } = await server.end;
      assert.is(status, 0, stderr);
      assert.not.match(stderr, /cache/i);
      assert.is(existsSync(`${made.path(folder)}/node-compile-cache`), isKept, folder);
    }
  },
);

test.run();
