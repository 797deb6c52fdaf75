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

test.run();
