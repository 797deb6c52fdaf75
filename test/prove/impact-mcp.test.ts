import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { repository, told } from './impact-repository.js';

// What says who may ask over MCP is behind everything that is asked there.

const test = suite('impact on MCP');

const AUTH = `import { auth } from 'fwkit/mcp';
import { issuer } from '../lib/issuer.js';
export default auth({ servers: [issuer], verify: () => null });
`;
const TOOL = `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Says hello.', handler: () => 'hello' });
`;
const repo = repository({
  'lib/issuer.ts': "export const issuer = 'https://login.example';\n",
  'mcp/auth.ts': AUTH,
  'mcp/tools/hello.ts': TOOL,
  'api/hello.get.ts': "import { get } from 'fwkit';\nexport default get(() => 'hello');\n",
  'policy.ts': `import { anonymous, everything, policy } from '@fwkit/prove';
export default policy([everything().admits(anonymous)]);
`,
});
const METADATA = [
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp',
];

test('it reaches the endpoint, its tools, and the routes that say where to get a token', async () => {
  for (const name of ['mcp/auth.ts', 'lib/issuer.ts']) {
    const impact = await repo.report({ files: [`src/${name}`] });
    assert.equal(told(impact), [...METADATA, 'MCP /mcp', 'TOOL hello'], name);
    assert.is(impact.routes[0]?.file, 'src/mcp/auth.ts');
  }
});

test('where it is gone, anybody may ask', async () => {
  const impact = await repo.after({ 'mcp/auth.ts': undefined });
  assert.equal(told(impact), [...METADATA.map((one) => `${one} (gone)`), 'MCP /mcp', 'TOOL hello']);
  assert.match(impact.tools[0]?.why ?? '', 'src/mcp/auth.ts, which is gone');
});

test('a tool that is gone is told as one', async () => {
  assert.equal(told(await repo.after({ 'mcp/tools/hello.ts': undefined })), ['TOOL hello (gone)']);
});

test('a policy reaches nothing, and it is said why', async () => {
  const impact = await repo.report({ files: ['src/policy.ts'] });
  assert.equal(told(impact), []);
  assert.is(impact.changed[0]?.note, 'is for fwk prove alone');
});

test.run();
