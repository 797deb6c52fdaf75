import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { type Files, layouts, project } from '../../harness/project.js';
import { di, service, tells, wsModule } from '../../harness/source.js';

const types = '.fwk/types.d.ts';

const files: Files = {
  'api/v1/users/[id].get.ts': tells('get', 'user'),
  'api/v1/users.get.ts': tells('get', 'users'),
  'web/blog/[slug]/[...rest].get.ts': tells('get', 'blog'),
  'services/user-store.ts': service('() => 1'),
  'services/billing/invoices.ts': service('() => 1'),
  'di/now.ts': di('request', `1`),
};

for (const layout of layouts) {
  const test = suite(layout);

  test('writes the keys of ctx and the paths of the routes, and prints the file name', async () => {
    const made = project(files, layout);
    const { status, stdout, stderr } = await fwk(made, 'types');
    assert.equal([status, stderr], [0, '']);
    assert.match(stdout, types);
    const text = made.read(types);
    for (const word of [
      '/api/v1/users/:id',
      '/blog/:slug/*rest',
      'userStore',
      'billingInvoices',
      'now',
      'slug',
    ]) {
      assert.match(text, word);
    }
    for (const file of ['services/user-store', 'di/now']) {
      assert.match(text, `../${made.label(`${file}.ts`).replace(/\.[jt]s$/, '')}`);
    }
  });

  test('groups the endpoints of each path for the client', async () => {
    const made = project(
      {
        'api/books/[id].get.ts': tells('get', 'book'),
        'api/books/[id].delete.ts': tells('del', 'gone'),
        'api/books/[id].ts': tells('put', 'put'),
        'ws/rooms/[room].ts': wsModule('() => {}'),
      },
      layout,
    );
    assert.equal((await fwk(made, 'types')).status, 0);
    const of = (file: string) =>
      `(typeof import("../${made.label(file).replace(/[jt]s$/, 'js')}"))['default']`;
    const members = [
      `    readonly "/api/books/:id": { readonly del: ${of('api/books/[id].delete.ts')} } & { readonly get: ${of('api/books/[id].get.ts')} } & ByMethod<${of('api/books/[id].ts')}>;`,
      `    readonly "/ws/rooms/:room": { readonly ws: ${of('ws/rooms/[room].ts')} };`,
    ];
    for (const member of members) assert.ok(made.read(types).includes(member), made.read(types));
  });

  test('sorts the endpoints of a path by the path of their file', async () => {
    const made = project(
      {
        'api/a/index.put.ts': tells('put', 'put'),
        'api/a.get.ts': tells('get', 'got'),
        'api/a-b.get.ts': tells('get', 'other'),
        'api/(open)/a.post.ts': tells('post', 'posted'),
      },
      layout,
    );
    assert.equal((await fwk(made, 'types')).status, 0);
    const [, line = ''] = /^ *readonly "\/api\/a": (.*)$/m.exec(made.read(types)) ?? [];
    const order = [...line.matchAll(/readonly (\w+):/g)].map(([, method]) => method);
    assert.equal(order, ['post', 'get', 'put']);
  });

  test('runs no file of the project', async () => {
    const harm = `import { writeFileSync } from 'node:fs';\nwriteFileSync('harm.txt', '');\n`;
    const made = project(
      {
        'api/throws.get.ts': `${harm}throw new Error('imported');`,
        'api/exits.get.ts': `${harm}process.exit(3);`,
        'services/throws.ts': `${harm}throw new Error('imported');`,
        'middlewares/exits.ts': `${harm}process.exit(3);`,
        'main.ts': `${harm}process.exit(3);`,
        'api/broken.get.ts': 'export default {{{',
      },
      layout,
    );
    const { status, stderr } = await fwk(made, 'types');
    assert.equal([status, stderr], [0, '']);
    assert.match(made.read(types), '/api/throws');
    assert.not.ok(made.exists('harm.txt'));
  });

  test('leaves an unchanged file untouched and rewrites a changed one', async () => {
    const made = project(files, layout);
    await fwk(made, 'types');
    const before = made.mtime(types);
    assert.is((await fwk(made, 'types')).status, 0);
    assert.is(made.mtime(types), before);
    made.write('services/clock.ts', '');
    await fwk(made, 'types');
    assert.match(made.read(types), 'clock');
    made.remove('services/clock.ts');
    await fwk(made, 'types');
    assert.not.match(made.read(types), 'clock');
  });

  test('creates .gitignore or appends to it once', async () => {
    const typed = async (text?: string) => {
      const made = project(text === undefined ? files : { ...files, '.gitignore': text }, layout);
      await fwk(made, 'types');
      return made;
    };
    assert.is((await typed()).read('.gitignore'), '.fwk/\n');
    for (const [before, after = before] of [
      ['node_modules/\n', 'node_modules/\n.fwk/\n'],
      ['node_modules/', 'node_modules/\n.fwk/\n'],
      ['# .fwk/ is below\nsrc/.fwk/\n', '# .fwk/ is below\nsrc/.fwk/\n.fwk/\n'],
      ['a\n.fwk/\nb\n'],
      ['.fwk/'],
      ['dist\r\n.fwk/\r\n'],
    ]) {
      const made = await typed(before);
      const written = made.mtime('.gitignore');
      await fwk(made, 'types');
      assert.equal([made.read('.gitignore'), made.mtime('.gitignore')], [after, written]);
    }
  });

  test.run();
}

const hint = suite('tsconfig.json');

hint('reports a tsconfig.json that excludes the types, and no other', async () => {
  const config = (include: readonly string[]) => ({ ...files, 'tsconfig.json': JSON.stringify({ include }) });
  const without = await fwk(project(config(['src'])), 'types');
  assert.is(without.status, 0);
  assert.match(without.stdout + without.stderr, /tsconfig\.json.*\.fwk\/\*\*\/\*/s);
  const having = await fwk(project(config(['src', '.fwk/**/*'])), 'types');
  assert.is(having.status, 0);
  assert.not.match(having.stdout + having.stderr, 'tsconfig');
});

hint.run();

const wrong = suite('types of plugins');

for (const [name, part, told] of [
  ['fails', "{ get declarations() { throw new Error('bang'); } }", /FWK706.*bang/],
  ['declares a value that is not text', '{}', /FWK707.*declarations are not a string/],
  ['declares null', 'null', /FWK706/],
] as const)
  wrong(`names a plugin that ${name}`, async () => {
    const config = `export default { plugins: [{ name: 'wrong', types: () => (${part}), apply() {} }] };`;
    const { status, stderr } = await fwk(project({ 'fwk.config.js': config }), 'types');
    assert.is(status, 1);
    assert.match(stderr, told);
    assert.match(stderr, 'Plugin "wrong" failed in types');
  });

wrong.run();
