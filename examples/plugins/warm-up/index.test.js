import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPlugin } from 'fwkit/testing';
import { warmUp } from './index.js';

/** @type {import('fwkit/testing').PluginFixtures} */
const fixtures = {
  dir: import.meta.dirname,
  // A project that uses the plugin.
  files: {
    'services/runs.js': `
      import { service } from 'fwkit';
      export default service(() => ({ count: 0 }));
    `,
    'warm-up/hello.js': `
      import { defineWarmUp } from 'fwk-warm-up';
      export default defineWarmUp((ctx) => { ctx.runs.count += 1; });
    `,
  },
  // Mistakes that the plugin must report.
  broken: {
    'warm-up/plain.js': 'export default () => {};',
    'warm-up/nothing.js': `
      import { defineWarmUp } from 'fwk-warm-up';
      export default defineWarmUp();
    `,
  },
  // Checks that must hold, also after a reload and after a rolled-back one.
  works: ({ ctx, routes }) => {
    const runs = /** @type {{ count: number }} */ (ctx.runs);
    assert.ok(runs.count > 0, 'the file has run');
    assert.ok(routes.some(({ label }) => label === 'WARM-UP hello'));
  },
};

test('follows the rules for plugins', () => testPlugin(warmUp(), fixtures));

test('its options are checked', async () => {
  const config = { warmUp: { quiet: 'yes' } };
  const checked = testPlugin(warmUp(), { ...fixtures, config });
  await assert.rejects(checked, /"warmUp\.quiet" must be true or false; it is "yes"/);
});
