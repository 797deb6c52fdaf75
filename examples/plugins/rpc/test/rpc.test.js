import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rpc } from 'fwk-rpc';
import { testPlugin } from 'fwkit/testing';

const procedure = (run) => `import { procedure } from 'fwk-rpc';
export default procedure(${run});
`;

const fixtures = {
  files: {
    'rpc/double.js': procedure('(number) => 2 * number'),
    'rpc/four-times.js': procedure(`async (number, ctx) => 2 * (await ctx.rpc('double', number, ctx))`),
  },
  broken: {
    'rpc/double.js': 'export default (number) => 2 * number;\n',
    'rpc/[id].js': procedure('() => 1'),
    'rpc/no-function.js': procedure('1'),
  },
  async works({ fetch, ctx }) {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch('/rpc/four-times', { method: 'POST', headers, body: '3' });
    assert.equal(await answer.json(), 12);
    assert.equal(await ctx.rpc('double', 4), 8);
    assert.equal((await fetch('/rpc/double', { method: 'POST', body: '3' })).status, 415);
  },
};

test('follows the rules for plugins', () => testPlugin(rpc(), fixtures));
