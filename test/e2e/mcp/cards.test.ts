import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { configFile, middleware } from '../../harness/source.js';

const refusing = middleware(`(_req, res) => res.status(401).send('no')`);

const files = {
  'package.json': JSON.stringify({
    name: '@shop/book shop',
    version: '1.2.0',
    description: 'Sells books.',
    type: 'module',
  }),
  'fwk.config.ts': configFile(`{ mcp: { hosts: ['shop.example'] } }`),
  'middlewares/refuse.ts': refusing,
  'mcp/_middleware.ts': refusing,
  'mcp/auth.ts': `import { auth } from 'fwkit/mcp';\nexport default auth({ verify: () => null });`,
  'mcp/tools/find.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Finds.', handler: () => 'x' });`,
};

const CARD = '/mcp/server-card';
const CATALOG = '/.well-known/ai-catalog.json';

const test = suite('cards');

test('the card and the catalog describe the server to everybody', async () => {
  const site = await production(files);
  const card = await site.raw(CARD, { headers: { host: 'shop.example' } });
  assert.is(card.status, 200);
  assert.is(card.headers['content-type'], 'application/mcp-server-card+json');
  assert.is(card.headers['access-control-allow-origin'], '*');
  assert.is(card.headers['cache-control'], 'public, max-age=3600');
  assert.equal(card.json, {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
    name: 'example.shop/book-shop',
    version: '1.2.0',
    description: 'Sells books.',
    remotes: [{ type: 'streamable-http', url: 'https://shop.example/mcp' }],
  });
  const catalog = await site.raw(CATALOG);
  assert.is(catalog.headers['content-type'], 'application/ai-catalog+json');
  assert.equal(catalog.json, {
    specVersion: '0.9',
    entries: [
      {
        identifier: 'urn:air:shop.example:book-shop',
        displayName: 'book-shop',
        type: 'application/mcp-server-card+json',
        url: 'https://shop.example/mcp/server-card',
      },
    ],
  });
  const foreign = await site.raw(CARD, { headers: { host: 'evil.example' } });
  assert.is(foreign.status, 403);
  assert.is((await site.raw(CARD, { method: 'POST' })).status, 401);
  await site.stop();
});

test('a file in public/ replaces the catalog', async () => {
  const server = await dev(project({ ...files, 'public/.well-known/ai-catalog.json': '{"entries":[]}' }));
  assert.equal((await request(server.url, CATALOG)).json, { entries: [] });
  await server.stop();
});

test('a project without an offering has no card', async () => {
  const server = await dev(
    project({ 'api/a.get.ts': `import { get } from 'fwkit';\nexport default get(() => 1);` }),
  );
  assert.is((await request(server.url, CARD)).status, 404);
  await server.stop();
});

test.run();
