import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { request } from '../../harness/http.js';
import { sharing } from '../../harness/running.js';
import { route, textRoute } from '../../harness/source.js';

const config = (text: string) => `import * as own from './lib/own.js';\nexport default ${text};\n`;

const TYPES = '.fwk/types.d.ts';

const rpc = (options: string) => `import { httpRoutes } from 'fwkit/http';
  export const rpc = httpRoutes({ name: 'rpc', mount: '/rpc', ${options} });`;

/** A convention that accepts endpoints unchanged. */
const convention = (suffixes: string) =>
  `directory: 'rpc', convention: { suffixes: ${suffixes}, endpointOf: (made) => made, missing: 'is empty', unwrapped: 'is empty' }`;

const test = suite('edited plugins and names');
const running = sharing(test);

test('an edited plugin claims other files, and the types follow', () => {
  const files = {
    'fwk.config.ts': config('{ plugins: [own.rpc] }'),
    'lib/own.ts': rpc(`directory: 'first'`),
    'first/one.get.ts': textRoute('one'),
  };
  return running(files, async ({ made, save, json }) => {
    assert.is(await json('/rpc/one'), 'one');
    made.remove('first/one.get.ts');
    await save({ 'lib/own.ts': rpc(`directory: 'second'`), 'second/two.get.ts': textRoute('two') });
    assert.is(await json('/rpc/two'), 'two');
    assert.match(made.read(TYPES), '"/rpc/two"');
    assert.not.match(made.read(TYPES), '"/rpc/one"');
  });
});

test('an edited plugin assigns other URLs to unchanged modules', () => {
  const files = {
    'fwk.config.ts': config('{ plugins: [own.rpc] }'),
    'lib/own.ts': rpc(convention('{}')),
    'rpc/book.read.ts': textRoute('Emma'),
  };
  return running(files, async ({ server, save, json }) => {
    assert.is(await json('/rpc/book.read'), 'Emma');
    await save({ 'lib/own.ts': rpc(convention(`{ read: 'GET' }`)) });
    assert.is(await json('/rpc/book'), 'Emma');
    assert.is((await request(server.url, '/rpc/book.read')).status, 404);
  });
});

test('changes of a plugin to routes and options are applied once, however many saves follow', () => {
  const files = {
    'fwk.config.ts': config(`{ plugins: [own.counting], counting: { word: 'a' } }`),
    'lib/own.ts': `import { option } from 'fwkit/plugin';
      import { isHttpRoute } from 'fwkit/http';
      export const counting = {
        name: 'counting',
        options: { word: option.custom('', 'a text', (value) => typeof value === 'string') },
        apply(hooks, options) {
          options.word += '!';
          hooks.resolve.tapPromise('counting', async (routes) =>
            routes.map((route) => {
              if (!isHttpRoute(route)) return route;
              const label = route.label + '!';
              const handler = async (...given) => [options.word, label, await route.handler(...given)].flat().join(' ');
              return { ...route, label, handler };
            }),
          );
        },
      };`,
    'api/kept.get.ts': textRoute('kept'),
    'api/other.get.ts': textRoute('other 0'),
  };
  return running(files, async ({ save, json }) => {
    const before = await json('/api/kept');
    assert.match(String(before), 'a! GET /api/kept! kept');
    for (const turn of [1, 2, 3]) await save({ 'api/other.get.ts': textRoute(`other ${turn}`) });
    assert.is(await json('/api/kept'), before);
  });
});

test('an inherited value is created again if the class of the plugin is edited', () => {
  const own = (more: string) => `import { slotKey, Stage, provide } from 'fwkit/plugin';
    class Counter { count = 0; next() { return ++this.count; } ${more} }
    const COUNTER = slotKey('counting');
    const make = (counter) => (counter.make ??= () => counter);
    export const counting = {
      name: 'counting',
      apply(hooks) {
        hooks.resolve.tapPromise({ name: 'counting', stage: Stage.connect }, async (routes, project) => {
          provide(project, 'counter', make(project.inherit(COUNTER, () => new Counter())));
          return routes;
        });
      },
    };`;
  const files = {
    'fwk.config.ts': config('{ plugins: [own.counting] }'),
    'lib/own.ts': own(''),
    'api/next.get.ts': route('get', '(req, res, ctx) => ctx.counter.next()'),
    'api/other.get.ts': textRoute('other'),
  };
  return running(files, async ({ save, json }) => {
    assert.is(await json('/api/next'), 1);
    await save({ 'api/other.get.ts': textRoute('another') });
    assert.is(await json('/api/next'), 2);
    await save({
      'lib/own.ts': own('twice() { return 2 * this.next(); }'),
      'api/next.get.ts': route('get', '(req, res, ctx) => ctx.counter.twice()'),
    });
    assert.is(await json('/api/next'), 2);
  });
});

test('types that a broken edit added disappear when the edit is undone', () =>
  running({ 'api/first.get.ts': textRoute('first'), 'lib/x.ts': '' }, async ({ made, server, save }) => {
    const types = made.read(TYPES);
    const from = server.output.mark();
    made.write('api/second.get.ts', 'export default 1 +');
    await server.waitFor(/still serving/, from);
    assert.match(made.read(TYPES), '"/api/second"');
    made.remove('api/second.get.ts');
    await save({ 'api/first.get.ts': textRoute('again') });
    assert.is(made.read(TYPES), types);
  }));

const pack = (fields: object) => JSON.stringify({ type: 'module', name: 'shop', ...fields });

test('edited names in package.json apply', () => {
  const files = {
    'package.json': pack({
      imports: { '#word': './src/lib/word.ts' },
      exports: { './word': './src/lib/word.ts' },
    }),
    'lib/word.ts': `export default 'first';`,
    'lib/other.ts': `export default 'second';`,
    'api/word.get.ts': `import word from '#word';\nimport self from 'shop/word';\n${route('get', '() => [word, self]')}`,
  };
  return running(files, async ({ save, json }) => {
    assert.equal(await json('/api/word'), ['first', 'first']);
    await save({
      'package.json': pack({
        imports: {
          '#word': { node: './src/lib/other.ts', default: './src/lib/word.ts' },
          '#lib/*': './src/lib/*.ts',
        },
        exports: { './word': './src/lib/other.ts' },
      }),
    });
    assert.equal(await json('/api/word'), ['second', 'second']);
    await save({
      'api/late.get.ts': `import word from '#lib/other';\n${route('get', '() => word')}`,
    });
    assert.is(await json('/api/late'), 'second');
  });
});

test.run();
