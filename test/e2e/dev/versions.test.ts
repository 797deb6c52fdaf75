import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { spawnDev } from '../../harness/fwk.js';
import { type Gate, gate } from '../../harness/gate.js';
import { request } from '../../harness/http.js';
import { running as alone, sharing } from '../../harness/running.js';
import { unsampled } from '../../harness/sample.js';
import { middleware, module, reads, route, service, textRoute } from '../../harness/source.js';

/** A service that logs its creation and its end; `value` may read `ctx`. */
const told = (name: string, value: string, before = '') =>
  module(
    'service',
    `${before}export default service((ctx, { onDestroy }) => {
       const value = ${value};
       console.log('[make ${name}]');
       onDestroy(() => console.log('[end ${name}]'));
       return value;
     });`,
  );

/** Which services were created, in order. */
const makes = (printed: string): string[] =>
  [...printed.matchAll(/\[make (\S+)\]/g)].map(([, name = '']) => name);

async function gated(act: (gate: Gate) => Promise<void>): Promise<void> {
  const held = await gate();
  try {
    await act(held);
  } finally {
    held.close();
  }
}

const test = suite('versions');
const running = sharing(test);

test('a response that began before a save ends with the old code, and then its services end', () =>
  gated((held) => {
    const streamed = (end: string) =>
      route(
        `(req, res, ctx) => (async function* () { yield 'began '; await fetch('${held.url}'); yield '${end} ' + ctx.pool; })()`,
      );
    const files = {
      'api/streamed.ts': streamed('old'),
      'api/pool.ts': reads('pool'),
      'services/pool.ts': told('pool-1', `'pool-1'`),
    };
    return running(files, async ({ server, save, json }) => {
      const from = server.output.mark();
      const old = request(server.url, '/api/streamed');
      await held.reached();
      await save({ 'api/streamed.ts': streamed('new'), 'services/pool.ts': told('pool-2', `'pool-2'`) });
      assert.is(await json('/api/pool'), 'pool-2');
      await save({ 'services/pool.ts': told('pool-3', `'pool-3'`) });
      await server.waitFor(/\[end pool-2\]/, from);
      assert.not.match(server.output.all.slice(from), '[end pool-1]');
      held.open();
      assert.is((await old).text, 'began old pool-1');
      await server.waitFor(/\[end pool-1\]/, from);
    });
  }));

unsampled(test)('a service with unchanged modules is one object through 40 reloads of other files', () => {
  const files = {
    'lib/sql.ts': `export const sql = 'sql';`,
    'lib/words.ts': `export const word = 'word 0';`,
    'services/kept.ts': `import { sql } from '../lib/sql.js';\n${told('kept', '{ sql, id: Math.random() }')}`,
    'services/other.ts': told('other', `'other 0'`),
    'api/id.ts': reads('kept.id'),
    'api/other.ts': reads('other'),
    'api/word.ts': `import { word } from '../lib/words.js';\n${route('get', '() => word')}`,
    'api/x.ts': textRoute('x 0'),
  };
  return running(files, async ({ server, save, json }) => {
    const id = await json('/api/id');
    const from = server.output.mark();
    for (let turn = 1; turn <= 40; turn += 4) {
      await save({ 'api/x.ts': textRoute(`x ${turn}`) });
      await save({ 'lib/words.ts': `export const word = 'word ${turn}';` });
      await save({ 'services/other.ts': told('other', `'other ${turn}'`) });
      await save({ 'middlewares/1.trace.ts': `${trace}// ${turn}\nexport const turn = ${turn};\n` });
      assert.is(await json('/api/id'), id);
      assert.is(await json('/api/x'), `x ${turn}`);
      assert.is(await json('/api/word'), `word ${turn}`);
      assert.is(await json('/api/other'), `other ${turn}`);
    }
    assert.not.match(server.output.all.slice(from), /\[(?:make|end) kept\]/);
  });
});

const trace = middleware('(req, res, ctx, next) => next()');

test('a service is created again only with a value that it reads', () => {
  const base = (text: string) =>
    `import { word } from '../lib/word.js';\n${told('base', `'${text} ' + word`)}`;
  const files = {
    'lib/word.ts': `export const word = 'one';`,
    'services/base.ts': base('base'),
    'services/middle.ts': told('middle', "'middle of ' + ctx.base"),
    'services/top.ts': told('top', "'top of ' + ctx.middle"),
    'services/alone.ts': told('alone', `'alone'`),
    'api/top.ts': reads('top'),
    'api/alone.ts': reads('alone'),
  };
  return running(files, async ({ server, save, json }) => {
    assert.is(await json('/api/top'), 'top of middle of base one');
    let from = server.output.mark();
    assert.equal(makes(await save({ 'services/base.ts': base('new') })), ['base', 'middle', 'top']);
    assert.is(await json('/api/top'), 'top of middle of new one');
    await server.waitFor(/\[end top\][\s\S]*\[end middle\][\s\S]*\[end base\]/, from);
    assert.equal(makes(await save({ 'lib/word.ts': `export const word = 'two';` })), [
      'base',
      'middle',
      'top',
    ]);
    assert.is(await json('/api/top'), 'top of middle of new two');
    assert.equal(makes(await save({ 'services/alone.ts': told('alone', `'new alone'`) })), ['alone']);
    assert.is(await json('/api/alone'), 'new alone');
    assert.equal(makes(await save({ 'services/top.ts': told('top', "'on ' + ctx.middle") })), ['top']);
    assert.is(await json('/api/top'), 'on middle of new two');
    assert.equal(makes(await save({ 'api/new.ts': textRoute('new') })), []);
    from = server.output.mark();
    assert.equal(makes(await save({ 'services/added.ts': told('added', 'ctx.alone') })), ['added']);
    assert.not.match(server.output.all.slice(from), /\[end /);
  });
});

test('a service of a broken edit ends, and the serving one stays', () => {
  const files = { 'services/pool.ts': told('held-1', `'held-1'`), 'api/pool.ts': reads('pool') };
  return running(files, async ({ made, server, json }) => {
    const from = server.output.mark();
    // In this order: a service that is seen before the broken route would be served.
    made.write('api/x.ts', 'export default get(');
    made.write('services/pool.ts', told('held-2', `'held-2'`));
    await server.waitFor(/still serving/, from);
    await server.waitFor(/api\/x\.ts:1: does not parse/, from);
    assert.is(await json('/api/pool'), 'held-1');
    const printed = server.output.all.slice(from);
    assert.not.match(printed, '[end held-1]');
    if (printed.includes('[make held-2]')) await server.waitFor(/\[end held-2\]/, from);
  });
});

for (const [what, fail] of [
  ['onDestroy', 'onDestroy(fail);'],
  ['The function returned in onStart', 'onStart(() => fail);'],
] as const)
  test(`an old service that fails to end is reported, and the new one serves: ${what}`, () => {
    const failing = module(
      'service',
      `const fail = () => { throw new Error('still busy'); };
       export default service((ctx, { onDestroy, onStart }) => { ${fail} return 'old'; });`,
    );
    return running(
      { 'services/pool.ts': failing, 'api/pool.ts': reads('pool') },
      async ({ server, save, json }) => {
        await save({ 'services/pool.ts': told('pool', `'new'`) });
        assert.is(await json('/api/pool'), 'new');
        await server.waitFor(new RegExp(`^${what} of src/services/pool\\.ts failed:[^]*still busy`, 'm'));
        await save({ 'services/pool.ts': told('pool', `'newer'`) });
        assert.is(await json('/api/pool'), 'newer');
      },
    );
  });

test('saving an unchanged text is no reload', () =>
  running(
    { 'api/same.ts': textRoute('same'), 'api/x.ts': textRoute('x') },
    async ({ made, server, save }) => {
      const from = server.output.mark();
      made.write('api/same.ts', textRoute('same'));
      await save({ 'api/x.ts': textRoute('other') });
      assert.not.match(server.output.all.slice(from), 'api/same.ts');
    },
  ));

for (const [what, text] of Object.entries({
  layout: (version: number) =>
    `${'\n'.repeat(version)}const one =${' '.repeat(version)}1;\nexport const value = (one)${';'.repeat(version % 2)}`,
  types: (version: number) =>
    `export type Version = ${version};\ninterface Row { v${version}: string }\nconst one = 1;\nexport const value = one;`,
}))
  test(`editing ${what} alone evaluates no module again`, () => {
    const files = {
      'lib/value.ts': `${text(1)}\nconsole.log('[evaluated value of ${what}]');`,
      'api/value.ts': `import { value } from '../lib/value.js';\nconsole.log('[evaluated ${what}]');\n${route('get', '() => value')}`,
      'services/pool.ts': `import '../lib/value.js';\n${told('pool', '1')}`,
      'api/x.ts': textRoute('x'),
    };
    return running(files, async ({ made, server, save, json }) => {
      assert.is(await json('/api/value'), 1);
      await server.waitFor(new RegExp(`\\[evaluated ${what}\\]`));
      const from = server.output.mark();
      made.write('lib/value.ts', `${text(2)}\nconsole.log('[evaluated value of ${what}]');`);
      await save({ 'api/x.ts': textRoute('other') });
      assert.is(await json('/api/value'), 1);
      assert.not.match(server.output.all.slice(from), /\[evaluated|\[make|\[end/);
    });
  });

/** A plugin that makes a route's file disappear while files are listed, as editors may. */
const EDITOR = `
  import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
  const file = new URL('./api/saved.ts', import.meta.url);
  const editor = {
    name: 'editor',
    apply(hooks) {
      if (!existsSync('save')) return;
      const text = readFileSync(file);
      for (const one of [file, 'save']) rmSync(one);
      hooks.resolve.tapPromise('editor', async (routes) => {
        writeFileSync(file, text);
        return routes;
      });
    },
  };
  export default { plugins: [editor] };`;

unsampled(test)('a route that was missing during a reload is served when it returns', () =>
  running(
    { 'fwk.config.ts': EDITOR, 'api/saved.ts': textRoute('saved') },
    async ({ made, server, save, json }) => {
      const from = server.output.mark();
      made.write('save', '');
      await save({ 'api/new.ts': textRoute('new') });
      await server.waitFor(/\+ GET \/api\/saved/, from);
      assert.is(await json('/api/saved'), 'saved');
    },
  ),
);

const SIZE = 8_000_000;
const EDITS = 10;

/** A module that holds memory, and reports the process's memory of that kind after full garbage collections. */
const holds = (version: number) => `import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { get } from 'fwkit';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const held = new Uint8Array(${SIZE}).fill(${version});

export default get(async () => {
  for (let turn = 0; turn < 6; turn += 1) {
    collect();
    await new Promise(setImmediate);
  }
  return { version: held[0], bytes: process.memoryUsage().arrayBuffers };
});
`;

test('memory holds no version before the last one', () =>
  alone(
    { 'api/held.ts': holds(0) },
    async ({ json, save }) => {
      for (let version = 1; version <= EDITS; version += 1) {
        await save({ 'api/held.ts': holds(version) });
        const { bytes, version: now } = (await json('/api/held')) as { bytes: number; version: number };
        assert.is(now, version);
        assert.ok(bytes < 3.5 * SIZE, `${bytes} bytes after ${version} edits`);
      }
    },
    spawnDev,
  ));

const ending = (version: number) =>
  service(`(ctx, { onDestroy }) => {
       onDestroy(async () => {
         console.log('[ending ${version}]');
         globalThis.endOfFirst?.();
         if (${version} === 1) await new Promise((resolve) => (globalThis.endOfFirst = resolve));
         for (let turn = 0; turn < 50 * (3 - ${version}); turn++) await new Promise(setImmediate);
         console.log('[ended ${version}]');
       });
       return { version: ${version} };
     }`);

test('what plugins end last ends after the services of every version', async () => {
  let output = { all: '' };
  // It looks at the end of the server.
  await alone(
    {
      'services/store.ts': ending(1),
      'api/x.ts': route('get', '(req, res, ctx) => ctx.store.version'),
      'fwk.config.ts': `
        const ending = {
          name: 'ending',
          apply(hooks) {
            hooks.serve.tapPromise('ending', async ({ runtime }) => {
              await runtime.getOrCreate('ending', () => runtime.onEnd(() => console.log('[end]')));
            });
          },
        };
        export default { plugins: [ending] };
      `,
    },
    async ({ server, save, json }) => {
      output = server.output;
      const from = server.output.mark();
      await save({ 'services/store.ts': ending(2) });
      await server.waitFor(/\[ending 1\]/, from);
      assert.is(await json('/api/x'), 2);
    },
  );
  assert.match(output.all, /\[ended 1\][\s\S]*\[end\]/);
  assert.match(output.all, /\[ended 2\][\s\S]*\[end\]/);
});

const plugin = (version: number, more = '') => `
  export const plugin = () => ({
    name: 'back',
    apply(hooks) {
      hooks.serve.tapPromise('back', async ({ project, onActivate, onStart, onClose }) => {
        onActivate(() => () => console.log('[back ${version}]'));
        onClose(() => console.log('[stopped ${version}]'));
        project.onClose(() => console.log('[closed ${version}]'));
        ${more}
      });
    },
  });
`;

unsampled(test)('a plugin that cannot be rolled back does not affect the previous version', () =>
  running(
    {
      'lib/plugin.ts': plugin(1),
      'api/x.ts': route('get', '() => 1'),
      'fwk.config.ts': `import { plugin } from './lib/plugin.js';\nexport default { plugins: [plugin()] };\n`,
    },
    async ({ made, server, json }) => {
      const from = server.output.mark();
      const broken = `onActivate(() => () => { throw new Error('no way back'); });
        onStart(() => { throw new Error('no start'); });`;
      made.write('lib/plugin.ts', plugin(2, broken));
      await server.waitFor(/\[back 2\][\s\S]*\[stopped 2\][\s\S]*\[closed 2\]/, from);
      await server.waitFor(/no way back/, from);
      await server.waitFor(/no start/, from);
      assert.is(await json('/api/x'), 1);
    },
  ),
);

test.run();
