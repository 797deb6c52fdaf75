import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createTestApp } from 'fwkit/testing';

const dir = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'licenses-'));
after(() => rmSync(folder, { recursive: true, force: true }));
process.env.POLICY_FILE = path.join(folder, 'policy.json');

test('licenses are found by keywords', async () => {
  const app = await createTestApp({ dir });
  try {
    const { licenses } = app.ctx;
    assert.ok(licenses.all.length > 700);
    assert.deepEqual(
      licenses.search('gnu lesser 2.1', true).map(({ id }) => id),
      ['LGPL-2.1', 'LGPL-2.1+', 'LGPL-2.1-only', 'LGPL-2.1-or-later'],
    );
    assert.equal(licenses.find('apache-2.0').id, 'Apache-2.0');
    assert.equal(licenses.find('../package'), undefined);
    assert.match(await (await app.get('/licenses/mit')).text(), /^MIT License/);
    assert.match(await (await app.get('/?query=%22%3E%3Cb%3E')).text(), /0 found/);
  } finally {
    await app.close();
  }
});

test('decisions survive a restart', async () => {
  const decision = { verdict: 'allowed', why: 'Short.', by: 'ada', at: new Date().toISOString() };
  const first = await createTestApp({ dir });
  await Promise.all([first.ctx.policy.decide('MIT', decision), first.ctx.policy.decide('0BSD', decision)]);
  await first.close();
  const second = await createTestApp({ dir });
  assert.deepEqual(second.ctx.policy.all(), { '0BSD': decision, MIT: decision });
  await second.close();
});

test('an assistant can use the server over stdio', async () => {
  const client = new Client({ name: 'tests', version: '1.0.0' });
  const command = { command: 'npx', args: ['fwk', 'mcp', '--stdio'], cwd: dir, stderr: 'ignore' };
  await client.connect(new StdioClientTransport(command));
  try {
    const { structuredContent } = await client.callTool({
      name: 'licensesSearch',
      arguments: { query: 'mozilla 2.0', limit: 1 },
    });
    assert.deepEqual(structuredContent.licenses[0].id, 'MPL-2.0');
  } finally {
    await client.close();
  }
});
