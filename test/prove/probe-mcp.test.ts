import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, project } from '../harness/project.js';
import { layer, tool } from './guarded-app.js';
import { prove } from './proving.js';

// Whether a visitor got as far as /mcp itself, whatever the layers around it answer.

const policy = (rules: string): string =>
  `import { anonymous, everything, policy, visitor } from '@fwkit/prove';
const member = visitor('a member', { headers: { authorization: 'good' } });
export default policy([${rules}]);
`;
const FILES: Files = {
  'fwk.config.ts': "import { prove } from '@fwkit/prove';\nexport default { plugins: [prove()] };\n",
  'policy.ts': policy('everything().refuses(anonymous).admits(member)'),
  'mcp/_middleware.ts': layer(
    "  if (req.header('authorization') !== 'good') throw error(401, 'no');\n  return next();",
  ),
  'mcp/tools/purge.ts': tool(),
};

async function found(files: Files): Promise<string[]> {
  const { findings } = await prove(project({ ...FILES, ...files }));
  return findings.map(({ kind, route, problem }) => `${kind} ${route}: ${problem}`).sort();
}

const test = suite('probe of /mcp');

test('a guard in front of it refuses, and lets in', async () => {
  assert.equal(await found({}), []);
  assert.equal(await found({ 'mcp/_middleware.ts': layer('  return next();') }), [
    'open MCP /mcp: lets anonymous in',
    'open TOOL purge: lets anonymous in',
  ]);
});

test('a layer that answers what nobody else does is not /mcp', async () => {
  const swallows = layer(`  try {
    return await next();
  } catch (thrown) {
    if (thrown.status !== 404) throw thrown;
    res.status(200);
    return { nothing: req.path };
  }`);
  assert.equal(await found({ 'middlewares/swallow.ts': swallows }), []);
});

test('a layer that answers in place of the guard is told as one', async () => {
  const answers = layer(
    "  if (!req.header('authorization')) return { hello: 'stranger' };\n  return next();",
  );
  assert.equal(
    (await found({ 'middlewares/hello.ts': answers })).map((one) => one.split(':')[0]),
    ['answered MCP /mcp', 'answered TOOL purge'],
  );
});

test.run();
