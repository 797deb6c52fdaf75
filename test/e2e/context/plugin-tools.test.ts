import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { production } from '../../harness/production.js';
import { type Layout, layouts, project } from '../../harness/project.js';
import { running } from '../../harness/running.js';
import { di, route, service } from '../../harness/source.js';
import { tsc } from '../../harness/tsc.js';
import { configWith } from './line.js';

const test = suite('plugin tools');
const STAGE = "import { healthOf, peersOf, provide, providersOf, Stage } from 'fwkit/plugin'";

/** A plugin that prints as JSON the result of `look`, the body of a tap in the last stage. */
const looking = (hook: string, given: string, look: string, name = 'looking'): string => `{
  name: '${name}',
  apply(hooks) {
    hooks.${hook}.tapPromise({ name: '${name}', stage: Stage.finish }, async (${given}) => {
      ${look}
    });
  },
}`;

const seen = (output: string): unknown => JSON.parse(/^seen (.*)$/m.exec(output)?.[1] ?? 'null');
const see = (value: string): string => `console.log('seen', JSON.stringify(${value}));`;

test('health: a plugin reads the checks that another one adds', async () => {
  const adds = looking(
    'serve',
    '{ runtime, project }',
    `healthOf(runtime).add('adds.line', async () => ({ ok: true, detail: 'connected' }));
     healthOf(runtime).add('adds.disk', () => { throw new Error('full'); });
     healthOf(runtime).add('adds.once', () => ({ ok: true }))();
     healthOf(runtime).add('adds.again', () => ({ ok: false }));
     const stale = healthOf(runtime).add('adds.new', () => ({ ok: false, detail: 'old' }));
     healthOf(runtime).add('adds.new', () => ({ ok: true, detail: 'new' }));
     stale();`,
    'adds',
  );
  const reads = looking(
    'serve',
    '{ runtime, onStart }',
    `onStart(async () => { ${see('await healthOf(runtime).check()')} });`,
    'reads',
  );
  const { output, stop } = await production({
    'fwk.config.ts': configWith(STAGE, `${reads}, ${adds}`),
    'api/x.ts': route('get', '() => 1'),
  });
  await stop();
  assert.equal(seen(output.stdout), {
    'adds.line': { ok: true, detail: 'connected' },
    'adds.disk': { ok: false, detail: 'full' },
    'adds.again': { ok: false },
    'adds.new': { ok: true, detail: 'new' },
  });
});

test('types: declarations without a final line break compile', async () => {
  const part = (name: string) => `{
    name: '${name}',
    types: () => ({ declarations: '  interface Config { readonly ${name}?: string }' }),
    provides: () => ({ ${name}Of: 'string' }),
    apply() {},
  }`;
  const made = project({
    'fwk.config.ts': configWith(STAGE, `${part('one')}, ${part('two')}`),
    'api/x.ts': route('get', '(req, res, ctx) => ctx.oneOf.length'),
  });
  assert.is((await fwk(made, 'types')).status, 0);
  assert.equal(await tsc(made, undefined, { noUnusedLocals: false }), []);
});

test('types: the type of a key that provide() rejects is rejected', async () => {
  const part = `{ name: 'one', provides: () => ({ 'one-of': 'string' }), apply() {} }`;
  const { status, stderr } = await fwk(project({ 'fwk.config.ts': configWith(STAGE, part) }), 'types');
  assert.is(status, 1);
  assert.match(
    stderr,
    'Plugin "one" failed in provides: it returns the type of ctx.one-of, which is not a valid key. Use letters and digits',
  );
});

test('types: options of a disabled plugin compile unchecked, and those of an enabled plugin are checked', async () => {
  const config = (disable: string, size: string) => `import { defineConfig } from 'fwkit';
import { definePlugin, option } from 'fwkit/plugin';
const sized = definePlugin({
  name: 'my-sizes',
  options: { size: option.integer(1, { unit: 'pixels' }) },
  optionsType: '{ readonly size?: number }',
  apply() {},
});
export default defineConfig({ plugins: [sized], disable: [${disable}], mySizes: { size: ${size} } });
`;
  const made = project({ 'fwk.config.ts': config(`'my-sizes'`, '2'), 'api/x.ts': route('get', '() => 1') });
  assert.is((await fwk(made, 'types')).status, 0);
  assert.equal(await tsc(made), []);
  made.write('fwk.config.ts', config('', 'true'));
  assert.match(
    (await tsc(made)).map(({ message }) => message).join(),
    "Type 'boolean' is not assignable to type 'number'",
  );
});

test('peers: memory, locks and the secret of a single process, which receives none of its own messages', () =>
  running(
    {
      'fwk.config.ts': configWith(
        STAGE,
        looking(
          'serve',
          '{ runtime }',
          `const peers = peersOf(runtime);
           const memory = peers.memory('looking');
           const sum = await memory.add('count', 1, 60);
           await memory.put('over', { x: 'x' }, 0);
           const order = [];
           const first = peers.lock('looking', async () => {
             order.push('first');
             await new Promise((resolve) => setImmediate(resolve));
             order.push('done');
             throw new Error('lost');
           });
           const second = peers.lock('looking', async () => order.push('second'));
           const failure = await first.catch(({ message }) => message);
           const received = [];
           const off = peers.on('looking', (message) => received.push(message));
           peers.send('looking', 'hello');
           off();
           const refused = [() => peers.send('looking', { at: new Date() }), () => peers.send('looking', [Number.NaN])].map((send) => {
             try { send(); } catch (thrown) { return thrown.message; }
           });
           globalThis.secret ??= peers.secret('looking');
           ${see(`{ sum, over: await memory.get('over'), other: await peers.memory('other').get('count'),
             second: await second, failure, order, received, count: peers.count, span: peers.span, refused,
             long: peers.secret('looking').length >= 32, same: peers.secret('looking') === globalThis.secret,
             apart: peers.secret('other') !== peers.secret('looking') }`)}`,
        ),
      ),
      'api/x.ts': route('get', '() => 1'),
    },
    async ({ server, save }) => {
      const expected = {
        second: 3,
        failure: 'lost',
        order: ['first', 'done', 'second'],
        received: [],
        count: 1,
        span: 'process',
        refused: [
          'A message cannot be serialized as JSON: the head.at is a Date',
          'A message cannot be serialized as JSON: the head[0] is NaN',
        ],
        long: true,
        same: true,
        apart: true,
      };
      assert.equal(seen(server.output.all), { sum: 1, ...expected });
      // Memory outlives a version, and so does the secret.
      const from = server.output.mark();
      await save({ 'api/x.ts': route('get', '() => 2') });
      await server.waitFor(/^seen .*\n/m, from);
      assert.equal(seen(server.output.all.slice(from)), { sum: 2, ...expected });
    },
  ));

/** To a file, because commands with lists print nothing else. */
const write = (value: string): string =>
  `(await import('node:fs')).writeFileSync(project.root + '/seen.json', JSON.stringify(${value}));`;

const modules = (layout: Layout) => [
  ['./lib/a.js', layout === 'ts' ? 'src/lib/a.ts' : 'lib/a.js'],
  ['./lib/none.js', undefined],
  ['node:fs', 'node:fs'],
  ['fs', 'node:fs'],
  ['tiny', 'node_modules/tiny/main.js'],
  ['tiny/none', undefined],
  ['missing', undefined],
];

for (const layout of layouts)
  test(`resolveImport resolves a specifier without importing the module (${layout})`, async () => {
    const specifiers = JSON.stringify(modules(layout).map(([specifier]) => specifier));
    const look = looking(
      'resolve',
      'routes, project',
      `const importers = [import.meta.filename, import.meta.url];
       const found = await Promise.all(importers.map((importer) =>
         Promise.all(${specifiers}.map((specifier) => project.resolveImport(specifier, importer)))));
       ${write('found')}
       return routes;`,
    );
    const made = project(
      {
        'fwk.config.ts': configWith(STAGE, look),
        'lib/a.ts': `throw new Error('imported');`,
        'node_modules/tiny/package.json': '{ "name": "tiny", "type": "module", "exports": "./main.js" }',
        'node_modules/tiny/main.js': '',
        'api/x.ts': route('get', '() => 1'),
      },
      layout,
    );
    const { stderr, status } = await fwk(made, 'routes');
    assert.is(status, 0, stderr);
    const expected = modules(layout).map(([, file]) =>
      file === undefined ? null : file.startsWith('node:') ? file : path.join(made.root, file),
    );
    assert.equal(JSON.parse(made.read('seen.json')), [expected, expected]);
  });

test('providers lists each value of ctx with its place and lifetime', async () => {
  const provides = `{
    name: 'queues',
    apply(hooks) {
      hooks.resolve.tapPromise({ name: 'queues', stage: Stage.connect }, async (routes, project) => {
        provide(project, 'queue', () => 1);
        return routes;
      });
    },
  }`;
  const look = looking('resolve', 'routes, project', `${write('providersOf(project)')} return routes;`);
  const made = project({
    'fwk.config.ts': configWith(STAGE, `${provides}, ${look}`),
    'services/users.ts': service('() => 1'),
    'di/visitor.ts': di('request', `() => 1`),
    'di/cart.ts': di('session', `() => []`),
  });
  const { stderr, status } = await fwk(made, 'routes');
  assert.is(status, 0, stderr);
  assert.equal(JSON.parse(made.read('seen.json')), [
    { key: 'cart', file: 'di/cart.ts', lifetime: 'session' },
    { key: 'queue', file: 'plugin "queues"', lifetime: 'singleton' },
    { key: 'users', file: 'services/users.ts', lifetime: 'singleton' },
    { key: 'visitor', file: 'di/visitor.ts', lifetime: 'request' },
  ]);
});

test.run();
