import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clients, connected } from '../harness/mcp-clients.js';
import { running } from '../harness/running.js';
import { shop } from './reach-project.js';

// An assistant that has only /_fwk/mcp asks what it has changed.

const test = suite('the tool impact of /_fwk/mcp');

test('it is about what is not committed, with the last save, and about files that are named', async () => {
  await running(shop, async ({ made, server }) => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: made.root,
      });
    const client = await connected(Object.keys(clients)[0] ?? '', { url: server.url, path: '/_fwk/mcp' });
    const ask = async (given: object = {}) => {
      const { content, isError } = await client.callTool({ name: 'impact', arguments: given });
      return { isError: isError === true, text: content[0]?.text ?? '' };
    };
    const labels = async (given?: object) =>
      JSON.parse((await ask(given)).text).routes.map(({ label }: { label: string }) => label);
    try {
      const outside = await ask({ since: 'nope' });
      assert.is(outside.isError, true);
      git('init', '--quiet');
      made.write('.gitignore', '.fwk/\n');
      git('add', '--all');
      git('commit', '--quiet', '--message', 'a');
      assert.equal(await labels(), []);
      made.write(
        'api/plain.get.ts',
        "import { get } from 'fwkit';\nexport default get((_q, _r, ctx) => ctx.mail.send());\n",
      );
      assert.equal(await labels(), ['GET /api/plain']);
      assert.equal(await labels({ files: [made.label('api/plain.get.ts')] }), ['GET /api/plain']);
    } finally {
      await client.close();
    }
  });
});

test.run();
