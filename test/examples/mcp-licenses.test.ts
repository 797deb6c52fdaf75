import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooWide, violationsOf } from '../harness/accessibility.js';
import { hasBrowser, browser as launch } from '../harness/browser.js';
import { dev, ended, start } from '../harness/fwk.js';
import { connected, type ToolAnswer } from '../harness/mcp-clients.js';
import { initialize, post } from '../harness/rpc.js';
import { build } from '../harness/settings.js';
import { copyOf } from './example.js';

const packages = ['zod', 'jose', 'spdx-license-list', '@modelcontextprotocol/client'];
const licenses = copyOf('mcp-licenses', packages);
const test = suite<Record<string, never>>('MCP server of licenses', {});
const server = await dev(licenses);
test.after(async () => void (await server.stop()));

/** The Authorization header with a user's token. */
async function tokenFor(user: string, scope: string): Promise<{ authorization: string }> {
  const answer = await server.fetch('/api/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user, scope }),
  });
  const { token } = (await answer.json()) as { token: string };
  return { authorization: `Bearer ${token}` };
}

const textOf = ({ content }: ToolAnswer) => content[0]?.text ?? '';

test('over HTTP: search, read, check, compare', async () => {
  const client = await connected('v2 client, 2026-07-28', {
    url: server.url,
    headers: await tokenFor('ada', 'licenses:read'),
  });
  try {
    const { tools } = await client.listTools();
    assert.equal(tools.map((tool) => tool.name).sort(), ['licensesSearch', 'policyCheck']);
    const found = await client.callTool({
      name: 'licensesSearch',
      arguments: { query: 'gnu affero 3 only' },
    });
    assert.equal(found.structuredContent, {
      total: 1,
      licenses: [
        {
          id: 'AGPL-3.0-only',
          name: 'GNU Affero General Public License v3.0 only',
          osiApproved: true,
          uri: 'license://AGPL-3.0-only',
        },
      ],
    });
    const { contents } = await client.readResource({ uri: 'license://MIT' });
    assert.match(String(contents[0]?.text), /^MIT License[\s\S]*WITHOUT WARRANTY OF ANY KIND/);
    const checked = await client.callTool({ name: 'policyCheck', arguments: { ids: ['mit', 'No-Such'] } });
    const { results } = checked.structuredContent as { results: { id: string; verdict: string }[] };
    assert.equal(results[1], { id: 'No-Such', verdict: 'unknown', why: 'SPDX has no such license.' });
    const { messages } = await client.getPrompt({
      name: 'compare',
      arguments: { first: 'MIT', second: 'Apache-2.0' },
    });
    assert.is(messages.length, 3);
    assert.match(messages[2]?.content.text ?? '', /Compare MIT and Apache-2\.0/);
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'license://{id}' },
      argument: { name: 'id', value: 'agpl-3' },
    });
    assert.equal(completion.values, ['AGPL-3.0', 'AGPL-3.0-only', 'AGPL-3.0-or-later']);
  } finally {
    await client.close();
  }
});

test('a reader cannot decide, and decisions are stored', async () => {
  const decide = {
    name: 'policyDecide',
    arguments: { id: 'sspl-1.0', verdict: 'forbidden', why: 'Not OSI.' },
  };
  const reader = await connected('v2 client, 2025', {
    url: server.url,
    headers: await tokenFor('ada', 'licenses:read'),
  });
  const refused = await reader.callTool(decide).then(textOf, String);
  assert.match(refused, /policy:write|403|scope/i);
  await reader.close();

  const writer = await connected('v2 client, 2025', {
    url: server.url,
    headers: await tokenFor('bob', 'licenses:read policy:write'),
  });
  const decided = (await writer.callTool(decide)).structuredContent as Record<string, string>;
  assert.equal([decided.id, decided.verdict, decided.by], ['SSPL-1.0', 'forbidden', 'bob']);
  const { contents } = await writer.readResource({ uri: 'policy://current' });
  assert.match(String(contents[0]?.text), /"Not OSI\."/);
  const wrong = await writer.callTool({ ...decide, arguments: { ...decide.arguments, id: 'None' } });
  assert.equal([wrong.isError, textOf(wrong)], [true, 'SPDX has no license "None". Search for it first.']);
  await writer.close();
  const kept = JSON.parse(readFileSync(path.join(licenses.root, 'policy.json'), 'utf8')) as object;
  assert.equal(Object.keys(kept), ['SSPL-1.0']);
});

test('a missing or foreign token gets a challenge that names the login', async () => {
  const none = await post(server.url, initialize);
  assert.is(none.status, 401);
  const challenge = String(none.headers['www-authenticate']);
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  assert.equal(await (await fetch(metadata)).json(), {
    resource: `${server.url}/mcp`,
    authorization_servers: ['http://localhost:3000'],
    scopes_supported: ['licenses:read', 'policy:write'],
    bearer_methods_supported: ['header'],
  });
  const { authorization } = await tokenFor('ada', 'licenses:read');
  const [head, body, mark = ''] = authorization.split('.');
  const forged = `${head}.${body}.${mark.startsWith('A') ? 'B' : 'A'}${mark.slice(1)}`;
  assert.is((await post(server.url, initialize, { authorization: forged })).status, 401);
  const without = await post(server.url, initialize, await tokenFor('ada', 'policy:write'));
  assert.is(without.status, 403, 'the scope that all need is missing');
});

test('over stdio, and its own tests', async () => {
  const client = await connected('v2 client, 2025', { project: licenses });
  try {
    const decided = await client.callTool({
      name: 'policyDecide',
      arguments: { id: 'MIT', verdict: 'allowed', why: 'Everywhere in use.' },
    });
    assert.is((decided.structuredContent as { by: string }).by, 'this machine');
  } finally {
    await client.close();
  }
  const own = await ended(start('npm', ['test'], licenses.root), 'npm test');
  assert.is(own.status, 0, own.stdout + own.stderr);
  assert.match(own.stdout, /^\S+ pass 3$/m);
});

test('production does not start without an OAuth server', async () => {
  await build(licenses);
  const env = ['PORT=0', 'NODE_ENV=production', process.execPath, 'dist/main.js'];
  const { status, stderr } = await ended(start('/usr/bin/env', env, licenses.root), 'dist/main.js');
  assert.is(status, 1);
  assert.match(stderr, /Set ISSUER and JWKS_URL/);
});

async function pages(): Promise<void> {
  const browser = await launch();
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = { width: 360, height: 740 };
      const context = await browser.newContext({ baseURL: server.url, colorScheme, viewport });
      const page = await context.newPage();
      await page.goto('/');
      await page.getByLabel('Words').fill('sspl');
      await page.keyboard.press('Enter');
      await page.getByText('forbidden').waitFor();
      assert.equal(await violationsOf(page), [], colorScheme);
      assert.not(await isTooWide(page), colorScheme);
    }
  } finally {
    await browser.close();
  }
}
if (hasBrowser) test('its page is accessible, also dark and at 360 px', pages);
else test.skip('its page is accessible, also dark and at 360 px', pages);

test.run();
