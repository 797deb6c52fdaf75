import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { running } from '../../harness/running.js';
import { module, route } from '../../harness/source.js';

// fwk dev is stopped while a version that was replaced has not ended.

const test = suite('the end of fwk dev');

const service = (version: number) =>
  module(
    'service',
    `export default service((ctx, { onDestroy }) => {
       onDestroy(async () => {
         console.log('[ending ${version}]');
         globalThis.endOfFirst?.();
         if (${version} === 1) await new Promise((resolve) => (globalThis.endOfFirst = resolve));
         for (let turn = 0; turn < 50 * (3 - ${version}); turn++) await new Promise(setImmediate);
         console.log('[ended ${version}]');
       });
       return { version: ${version} };
     });`,
  );

test('what plugins end last ends after the services of every version', async () => {
  let output = { all: '' };
  await running(
    {
      'services/store.ts': service(1),
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
      await save({ 'services/store.ts': service(2) });
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

test('a plugin that cannot be rolled back keeps the version before from nothing', () =>
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
  ));

test.run();
