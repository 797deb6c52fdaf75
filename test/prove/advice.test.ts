import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../packages/prove/policy/findings.js';
import { repo } from '../harness/installed.js';
import { type Files, project } from '../harness/project.js';
import { module } from '../harness/source.js';
import { endpoint, layer, tool } from './guard-sources.js';
import { config, policy, prove } from './proving.js';

// The fix in a finding, and the file that it names.

const test = suite('advice of fwk prove');

const ADMIN = "const admin = visitor('an admin', { headers: { authorization: 'Bearer good' } });";
const guard = layer(
  "  if (req.header('authorization') !== 'Bearer good') throw error(401, 'no');\n  return next();",
);
/** Takes any token: its `verify` knows nobody, and says so to none. */
const AUTH = `import { auth } from 'fwkit/mcp';
export default auth({ servers: ['https://login.example'], verify: (token) => ({ subject: token, scopes: [] }) });
`;

async function found(rules: string, files: Files): Promise<readonly Finding[]> {
  const made = project({ 'fwk.config.ts': config(), 'policy.ts': policy(rules, ADMIN), ...files });
  return (await prove(made)).findings;
}

test('a finding names the mcp/auth that admits a visitor, and its fix applies to tools', async () => {
  const findings = await found("under('mcp/**').refuses(anonymous)", {
    'mcp/auth.ts': AUTH,
    'mcp/tools/purge.ts': tool(),
  });
  const of = (label: string) => findings.find(({ route }) => route === label);
  const [member, whole] = [of('TOOL purge'), of('MCP /mcp')];
  const metadata = of('GET /.well-known/oauth-protected-resource');
  assert.equal([member?.kind, member?.file], ['open', 'src/mcp/tools/purge.ts']);
  assert.match(
    member?.fix ?? '',
    /^Nothing in mcp\/auth\S* refuses this\. Return null from verify of mcp\/auth\S* for unknown clients.*scopes/,
  );
  assert.equal([whole?.kind, whole?.file], ['open', 'src/policy.ts']);
  assert.match(whole?.fix ?? '', 'for unknown clients. If everybody may call it');
  assert.equal([metadata?.kind, metadata?.file], ['open', 'src/mcp/auth.ts']);
  assert.match(metadata?.fix ?? '', 'or except it in the policy');
});

test('the fix for unguarded tools names the guards that can run before them and an existing file', async () => {
  const findings = await found("under('mcp/**').passes('api').refuses(anonymous)", {
    'mcp/tools/purge.ts': tool(),
    'api/_middleware.ts': guard,
    'api/x.get.ts': endpoint('get'),
  });
  const lines = findings.map(({ kind, route, file, line }) =>
    `${kind} ${route} ${file} ${line ?? ''}`.trim(),
  );
  assert.equal(lines.sort(), [
    'missing MCP /mcp src/policy.ts 3',
    'missing TOOL purge src/mcp/tools/purge.ts',
    'open MCP /mcp src/policy.ts 3',
    'open TOOL purge src/mcp/tools/purge.ts',
  ]);
  for (const { kind, fix } of findings)
    assert.match(
      fix,
      kind === 'open'
        ? 'Add mcp/auth or mcp/_middleware'
        : 'Only middlewares/ and mcp/_middleware run before it',
    );
});

test('mcp/auth can verify a token with a service, without an issuer', async () => {
  const page = readFileSync(path.join(repo, 'packages/prove/docs/policy.md'), 'utf8');
  const [operator = ''] = /^const operator = [\s\S]*?^}\);$/m.exec(page) ?? [];
  assert.ok(operator);
  const files = {
    'policy.ts': policy("tools().needs('notes:admin').refuses(anonymous).admits(operator)", operator),
    'mcp/auth.ts': `import { auth } from 'fwkit/mcp';
export default auth({ servers: ['https://login.example'], verify: async (token, ctx, { resource }) => {
  const claims = await ctx.tokens.check(token, { audience: resource });
  return claims && { subject: claims.sub, scopes: claims.scope.split(' '), expiresAt: claims.exp };
} });
`,
    'services/tokens.ts': module(
      'service',
      'export default service(() => ({ check: async () => undefined }));',
    ),
    'mcp/tools/purge.ts': tool("scopes: ['notes:admin'], "),
  };
  assert.equal(await found('', files), []);
});

test('a route that matches a URL below a pattern shows that URL', async () => {
  const [finding, ...more] = await found("under('api/admin/**').refuses(anonymous)", {
    'api/admin/_middleware.ts': guard,
    'api/admin/x.get.ts': endpoint('get'),
    'web/[...all].get.ts': endpoint('get'),
  });
  assert.equal(more, []);
  assert.is(finding?.problem, 'answers /api/admin/zz, and lets anonymous in');
});

test('.meta({ public }) without effect is reported, and passes and admits still apply to a public route', async () => {
  const files = {
    'api/_middleware.ts': guard,
    'api/x.post.ts': endpoint('post', ".meta({ public: 'the balancer asks it' })"),
  };
  const rules = "under('api/**').passes('api').refuses(anonymous).admits(admin)";
  const lines = (findings: readonly Finding[]) =>
    findings.map(({ kind, file, problem }) => `${kind} ${file}: ${problem}`);
  assert.equal(lines(await found(rules, files)), [
    'stale src/api/x.post.ts: has .meta({ public }) (the balancer asks it) without effect: it refuses anonymous anyway',
  ]);
  // Of two rules one needs it.
  const open = layer("  if (req.header('x-any') !== undefined) throw error(401, 'no');\n  return next();");
  const two = `${rules}, mutations().refuses(visitor('another', { headers: { 'x-any': '1' } }))`;
  assert.equal(lines(await found(two, { ...files, 'api/_middleware.ts': open })), []);
  const none = layer("  throw error(401, 'no');");
  assert.match(lines(await found(rules, { ...files, 'api/_middleware.ts': none })).join(), 'vacuous src/api');
});

test.run();
