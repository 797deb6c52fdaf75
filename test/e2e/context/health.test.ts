import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { running } from '../../harness/running.js';
import { route } from '../../harness/source.js';
import { configWith } from './line.js';

const test = suite('health');

/** A plugin with two checks that answers with all results at /api/health. */
const plugin = (version: number, more = '') => `
  import { definePlugin, healthOf } from 'fwkit/plugin';
  const check = () => ({ ok: true });
  export const plugin = () => definePlugin({
    name: 'checks',
    apply(hooks) {
      hooks.serve.tapPromise('checks', async ({ runtime, onClose }) => {
        globalThis.health = healthOf(runtime);
        onClose(healthOf(runtime).add('checks.shared', globalThis.check ??= check));
        onClose(healthOf(runtime).add('checks.version', () => ({ ok: true, detail: 'version ${version}' })));
        onClose(() => console.log('[ended ${version}]'));
        ${more}
      });
    },
  });
`;

test('health belongs to the version that serves, after a reload and after a rollback', () =>
  running(
    {
      'lib/plugin.ts': plugin(1),
      'fwk.config.ts': configWith("import { plugin } from './lib/plugin.js'", 'plugin()'),
      'api/health.ts': route('get', '() => globalThis.health.check()'),
    },
    async ({ made, server, save, json }) => {
      const healthOf = (version: number) => ({
        'checks.shared': { ok: true },
        'checks.version': { ok: true, detail: `version ${version}` },
      });
      assert.equal(await json('/api/health'), healthOf(1));
      const from = server.output.mark();
      await save({ 'lib/plugin.ts': plugin(2) });
      await server.waitFor(/\[ended 1\]/, from);
      assert.equal(await json('/api/health'), healthOf(2));
      made.write('lib/plugin.ts', plugin(3, `throw new Error('no checks');`));
      await server.waitFor(/no checks/, from);
      await server.waitFor(/\[ended 3\]/, from);
      assert.equal(await json('/api/health'), healthOf(2));
    },
  ));

test('a hanging health check fails without delaying the others', () =>
  running(
    {
      'lib/plugin.ts': plugin(
        1,
        `onClose(healthOf(runtime).add('checks.stuck', () => new Promise(() => {})));`,
      ),
      'fwk.config.ts': configWith("import { plugin } from './lib/plugin.js'", 'plugin()'),
      'api/health.ts': route('get', '() => globalThis.health.check()'),
    },
    async ({ json }) => {
      assert.equal(await json('/api/health'), {
        'checks.shared': { ok: true },
        'checks.version': { ok: true, detail: 'version 1' },
        'checks.stuck': { ok: false, detail: 'no answer for 3 s' },
      });
    },
  ));

test.run();
