import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clients, connected } from '../harness/mcp-clients.js';
import { running } from '../harness/running.js';
import { route } from '../harness/source.js';
import { changed, GET, layer, policyOf } from './static-project.js';

// The line that `fwk dev` adds after a save: which guards it has lost, and which hold again.

const test = suite('the policy in fwk dev');

const POLICY = policyOf("  under('api/v1/admin/**').passes('request-log', 'api/v1/admin'),");
const EXPORT = 'web/api/v1/admin/export.get.ts';

test('a save prints new and fixed violations, and a broken policy is reported once', async () => {
  const files = changed({ 'policy.ts': POLICY });
  await running(files, async ({ made, server, save }) => {
    const { output } = server;
    const after = async (act: () => unknown, line: RegExp): Promise<string> => {
      const from = output.mark();
      await act();
      const [match] = await server.waitFor(line, from);
      return match;
    };
    const lost = await after(() => save({ [EXPORT]: GET }), /^.*new violation.*$/m);
    assert.is(
      lost,
      '1 new violation of the policy: GET /api/v1/admin/export does not pass src/api/v1/admin/_middleware.ts',
    );
    // No new finding, so no message.
    const from = output.mark();
    await save({ 'api/v1/login.post.ts': route('post', '() => 2') });
    assert.not.match(output.all.slice(from), 'violation');
    await after(async () => made.remove(EXPORT), /^1 fixed violation.*$/m);

    const deleted = await after(
      async () => made.remove('api/v1/admin/_middleware.ts'),
      /^.*new violation.*$/m,
    );
    assert.match(
      deleted,
      /1 new violation of the policy: src\/policy\.ts there is no middleware "api\/v1\/admin"$/,
    );
    await after(() => save({ 'api/v1/admin/_middleware.ts': layer }), /^1 fixed violation.*$/m);

    // A policy is the project's own code: edits of it count.
    const broken = await after(
      () => save({ 'policy.ts': "throw new Error('no luck');\n" }),
      /^The policy.*$/m,
    );
    assert.is(
      broken,
      'The policy is not checked: src/policy.ts:1: throws when it is imported: no luck. Fix it there.',
    );
    const since = output.mark();
    await save({ 'api/v1/books/[id].get.ts': GET.replace('1', '2') });
    const stricter = POLICY.replace(
      "'api/v1/admin'),",
      "'api/v1/admin'),\n  under('api/v1/books/**').passes('api/v1/admin'),",
    );
    const stricterPolicy = await after(() => save({ 'policy.ts': stricter }), /^.*new violation.*$/m);
    assert.match(
      stricterPolicy,
      /1 new violation of the policy: GET \/api\/v1\/books\/:id does not pass src\/api\/v1\/admin\/_middleware\.ts$/,
    );
    assert.not.match(output.all.slice(since), 'not checked');
  });
});

test('the reload tool reports violations, and a moved route counts as changed', async () => {
  const inside = 'api/v1/admin/(reports)/export.get.ts';
  await running(changed({ 'policy.ts': POLICY, [inside]: GET }), async ({ made, server }) => {
    const client = await connected(Object.keys(clients)[0] ?? '', { url: server.url, path: '/_fwk/mcp' });
    const lastReload = async (): Promise<string> =>
      (await client.callTool({ name: 'reload', arguments: {} })).content[0]?.text ?? '';
    try {
      const from = server.output.mark();
      mkdirSync(path.dirname(made.path(EXPORT)), { recursive: true });
      renameSync(made.path(inside), made.path(EXPORT));
      await server.waitFor(/reloaded/, from);
      const violation = 'GET /api/v1/admin/export does not pass src/api/v1/admin/_middleware.ts';
      assert.match(
        await lastReload(),
        `1 route changed\n  ~ GET /api/v1/admin/export\n  ! 1 new violation of the policy: ${violation}`,
      );
      await server.waitFor(/^1 new violation/m, from);
    } finally {
      await client.close();
    }
  });
});

test('violations at startup are printed, and nothing is printed without a policy', async () => {
  await running(changed({ 'policy.ts': POLICY, [EXPORT]: GET }), async ({ made, server, save }) => {
    const [line] = await server.waitFor(/^The policy.*$/m);
    assert.is(
      line,
      'The policy is violated: GET /api/v1/admin/export does not pass src/api/v1/admin/_middleware.ts. See fwk prove.',
    );
    const from = server.output.mark();
    made.remove('policy.ts');
    await server.waitFor(/reloaded/, from);
    await save({ 'web/get.ts': GET.replace('1', '2') });
    assert.not.match(server.output.all.slice(from), /policy is|violation|checked/);
  });
});

test('in a git repository, a save prints the routes that it may change', async () => {
  const book = 'api/v1/books/[id].get.ts';
  await running(changed({ 'policy.ts': undefined }), async ({ made, server, save }) => {
    const git = (...args: string[]): unknown =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: made.root });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-qm', 'a');
    const from = server.output.mark();
    await save({ [book]: GET.replace('1', '2') });
    const [line] = await server.waitFor(/^impact: .*$/m, from);
    assert.is(line, 'impact: 1 of 12: GET /api/v1/books/:id');
  });
});

test.run();
