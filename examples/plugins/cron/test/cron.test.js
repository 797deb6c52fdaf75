import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cron } from 'fwk-cron';
import { testPlugin } from 'fwkit/testing';

const tick = (ms) => `import { every } from 'fwk-cron';
export default every(${ms}, (ctx) => ctx.ticks.add());
`;

const fixtures = {
  files: {
    'cron/tick.js': tick(1),
    'services/ticks.js': `import { service } from 'fwkit';
export default service(() => {
  const waiting = [];
  return { add: () => waiting.splice(0).forEach((resolve) => resolve()), next: () => new Promise((resolve) => waiting.push(resolve)) };
});
`,
  },
  changed: { 'cron/tick.js': tick(2) },
  broken: {
    'cron/tick.js': tick(`'1 fortnight'`),
    'cron/plain.js': 'export default () => {};\n',
  },
  async works({ ctx, routes }) {
    assert.deepEqual(
      routes.filter(({ kind }) => kind === 'cron').map(({ label }) => label),
      ['CRON tick'],
    );
    await ctx.ticks.next();
    await ctx.ticks.next();
  },
};

test('follows the rules for plugins', () => testPlugin(cron(), fixtures));
