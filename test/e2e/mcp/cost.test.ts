import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { spawnDev, spawnFwk } from '../../harness/fwk.js';
import { installed } from '../../harness/installed.js';
import { production } from '../../harness/production.js';
import { type Files, project } from '../../harness/project.js';
import { initialize, post } from '../../harness/rpc.js';
import { tells } from '../../harness/source.js';

// A project without mcp/ works where the SDK cannot be loaded.

// The SDK is bundled: the files that have some of it.
const bundle = path.join(installed(), 'node_modules/fwkit/dist/bundle');
const parts = readdirSync(bundle).filter((name) =>
  /node_modules\/(?:@modelcontextprotocol|zod)\//.test(readFileSync(path.join(bundle, name), 'utf8')),
);
const hooks = `import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(\`
export function resolve(specifier, context, next) {
  if (${JSON.stringify(parts).replaceAll('"', "'")}.some((name) => specifier.endsWith('/' + name))) throw new Error('loaded ' + specifier);
  return next(specifier, context);
}\`));
`;
const file = path.join(installed(), `without-mcp-${process.pid}.mjs`);
writeFileSync(file, hooks);
process.env.NODE_OPTIONS = `--import ${file}`;

const without: Files = { 'api/x.get.ts': tells('get', 'x') };
const plain: Files = {
  ...without,
  'mcp/tools/a.ts': `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'a', handler: () => 'a' });`,
};
const jsonSchema: Files = {
  'mcp/tools/a.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'a', input: { type: 'object' }, handler: () => 'a' });`,
};

const test = suite('cost of MCP');
test.after(() => void delete process.env.NODE_OPTIONS);

test('nothing of the SDK is loaded without mcp/ in any command and mode', async () => {
  const made = project(without);
  for (const command of ['routes', 'types', 'skills', 'mcp'])
    assert.is((await spawnFwk(made, command)).status, 0, command);
  const server = await spawnDev(made);
  assert.is((await server.fetch('/api/x')).status, 200);
  await server.stop();
  const site = await production(without);
  assert.is((await site.raw('/api/x')).status, 200);
  await site.stop();
});

test('with mcp/, the first client loads the SDK', async () => {
  const site = await production(plain);
  assert.is((await site.raw('/api/x')).status, 200);
  const refused = await post(site.url, initialize);
  assert.is(refused.status, 500);
  assert.match(site.output.all, /loaded \S+\.js/);
  await site.stop();
});

test('a plain JSON Schema is verified when the project is checked', async () => {
  const { status, stderr } = await spawnFwk(project(jsonSchema), 'routes');
  assert.is(status, 1);
  assert.match(stderr, /loaded \S*ajvProvider\S*\.js/);
});

test.run();
