import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clients, connected } from '../harness/mcp-clients.js';
import { type Running, running } from '../harness/running.js';
import { module } from '../harness/source.js';
import { shop } from './reach-project.js';
import { changed, GET, layer, policyOf } from './static-project.js';

// What an assistant that is connected to /_fwk/mcp alone asks @fwkit/prove.

const test = suite('the tools of @fwkit/prove at /_fwk/mcp');

interface Answer {
  readonly isError: boolean;
  readonly text: string;
}

type Ask = (name: string, given?: object) => Promise<Answer>;

const assisted = (files: typeof shop, act: (ask: Ask, running: Running) => Promise<void>): Promise<void> =>
  running(files, async (given) => {
    const url = given.server.url;
    const client = await connected(Object.keys(clients)[0] ?? '', { url, path: '/_fwk/mcp' });
    try {
      await act(async (name, input = {}) => {
        const { content, isError } = await client.callTool({ name, arguments: input });
        return { isError: isError === true, text: content[0]?.text ?? '' };
      }, given);
    } finally {
      await client.close();
    }
  });

const GUARD = module(
  'error, middleware',
  'export default middleware((req, res, ctx, next) => {\n  if (!ctx.visitor) throw error(401);\n  return next();\n});',
);
const LEAK = 'web/api/v1/admin/leak.get.ts';
const POLICY = policyOf("  under('api/v1/admin/**').passes('api/v1/admin').refuses(anonymous),");

test('prove tells what does not hold in the version with the last save, and why it cannot be said', () =>
  assisted(
    changed({ 'policy.ts': POLICY, 'api/v1/admin/_middleware.ts': GUARD }),
    async (ask, { made, save }) => {
      const held = JSON.parse((await ask('prove')).text);
      assert.equal(held.findings, []);
      assert.ok(held.requests > 100 && held.holding > 0, JSON.stringify(held));
      // Asked while the save is under way: the answer is about what was saved.
      made.write(LEAK, GET);
      const { findings, requests } = JSON.parse((await ask('prove', { static: true })).text);
      assert.equal(requests, 0);
      assert.equal(
        findings.map(({ route, file, problem }: Record<string, string>) => [route, file, problem]),
        [['GET /api/v1/admin/leak', `src/${LEAK}`, 'does not pass src/api/v1/admin/_middleware.ts']],
      );
      await save({ 'api/v1/admin/_middleware.ts': layer });
      const open = JSON.parse((await ask('prove', { proven: true })).text);
      assert.ok(
        open.findings.some(({ kind }: { kind: string }) => kind === 'open'),
        JSON.stringify(open),
      );
      assert.ok(Array.isArray(open.proven));
      await save({ 'policy.ts': 'export default 1;\n' });
      const wrong = await ask('prove');
      assert.is(wrong.isError, true);
      assert.match(wrong.text, 'src/policy.ts: does not export a policy');
    },
  ));

test('reach and impact are about the version with the last save, and name what they do not find', () =>
  assisted(shop, async (ask, { made }) => {
    const reached = async (route?: string) => JSON.parse((await ask('reach', { route })).text).routes;
    const changes = async (given?: object) =>
      JSON.parse((await ask('impact', given)).text).routes.map(({ label }: { label: string }) => label);
    assert.is((await ask('impact', { since: 'nope' })).isError, true);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: made.root,
      });
    git('init', '--quiet');
    made.write('.gitignore', '.fwk/\n');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'a');
    assert.equal(await changes(), []);
    assert.equal((await reached('/api/plain'))[0].ctx, ['log', 'logger']);

    made.write(
      'api/plain.get.ts',
      "import { get } from 'fwkit';\nexport default get((_q, _r, ctx) => ctx.mail.send());\n",
    );
    const [plain] = await reached('/api/plain');
    assert.equal(plain.ctx, ['log', 'logger', 'mail']);
    assert.equal(plain.packages, ['nodemailer']);
    assert.equal(await changes(), ['GET /api/plain']);
    assert.equal(await changes({ files: [made.label('api/plain.get.ts')] }), ['GET /api/plain']);
    assert.ok((await reached()).length > 10);
    const none = await ask('reach', { route: '/api/plan' });
    assert.is(none.isError, true);
    assert.match(none.text, 'there is no route /api/plan. The nearest: /api/plain');
  }));

test.run();
