import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clients, connected } from '../harness/mcp-clients.js';
import { running } from '../harness/running.js';
import { module } from '../harness/source.js';
import { changed, GET, layer, policyOf } from './static-project.js';

// An assistant that has only /_fwk/mcp asks whether the policy holds.

const test = suite('the tool prove of /_fwk/mcp');

const GUARD = module(
  'error, middleware',
  'export default middleware((req, res, ctx, next) => {\n  if (!ctx.visitor) throw error(401);\n  return next();\n});',
);
const LEAK = 'web/api/v1/admin/leak.get.ts';

test('it tells what does not hold in the version with the last save, and why it cannot be said', async () => {
  const policy = policyOf("  under('api/v1/admin/**').passes('api/v1/admin').refuses(anonymous),");
  const files = changed({ 'policy.ts': policy, 'api/v1/admin/_middleware.ts': GUARD });
  await running(files, async ({ made, server, save }) => {
    const client = await connected(Object.keys(clients)[0] ?? '', { url: server.url, path: '/_fwk/mcp' });
    const ask = async (given: object = {}) => {
      const { content, isError } = await client.callTool({ name: 'prove', arguments: given });
      return { isError: isError === true, text: content[0]?.text ?? '' };
    };
    try {
      const held = JSON.parse((await ask()).text);
      assert.equal(held.findings, []);
      assert.ok(held.requests > 100 && held.holding > 0, JSON.stringify(held));
      // Asked while the save is under way: the answer is about what was saved.
      made.write(LEAK, GET);
      const { findings, requests } = JSON.parse((await ask({ static: true })).text);
      assert.equal(requests, 0);
      assert.equal(
        findings.map(({ route, file, problem }: Record<string, string>) => [route, file, problem]),
        [['GET /api/v1/admin/leak', `src/${LEAK}`, 'does not pass src/api/v1/admin/_middleware.ts']],
      );
      await save({ 'api/v1/admin/_middleware.ts': layer });
      const open = JSON.parse((await ask({ proven: true })).text);
      assert.ok(
        open.findings.some(({ kind }: { kind: string }) => kind === 'open'),
        JSON.stringify(open),
      );
      assert.ok(Array.isArray(open.proven));
      await save({ 'policy.ts': 'export default 1;\n' });
      const wrong = await ask();
      assert.is(wrong.isError, true);
      assert.match(wrong.text, 'src/policy.ts: does not export a policy');
    } finally {
      await client.close();
    }
  });
});

test.run();
