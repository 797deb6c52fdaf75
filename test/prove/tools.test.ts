import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clients, connected } from '../harness/mcp-clients.js';
import { type Running, running } from '../harness/running.js';
import { module, route } from '../harness/source.js';
import { changed, GET, layer, policyOf } from './static-project.js';

// The tools of /_fwk/mcp with which an assistant checks the policy, and sees the reach of a route or a change.

const test = suite('prove, reach and impact in /_fwk/mcp');

const GUARD = module(
  'error, middleware',
  'export default middleware((req, res, ctx, next) => {\n  if (!ctx.visitor) throw error(401);\n  return next();\n});',
);
const LEAK = 'web/api/v1/admin/leak.get.ts';
const BOOK = 'api/v1/books/[id].get.ts';
const ASKS_VISITOR = route('get', '(req, res, ctx) => ctx.visitor');

const policy = policyOf("  under('api/v1/admin/**').passes('api/v1/admin').refuses(anonymous),");
const files = changed({ 'policy.ts': policy, 'api/v1/admin/_middleware.ts': GUARD });

type Ask = (name: string, given?: object) => Promise<{ isError: boolean; text: string }>;

/** An unknown route is an error. */
async function reach(site: Running, ask: Ask): Promise<void> {
  const books = async () => JSON.parse((await ask('reach', { route: '/api/v1/books/:id' })).text).routes;
  assert.equal((await books())[0].ctx, []);
  // Called while the save is being processed: the result must include it.
  site.made.write(BOOK, ASKS_VISITOR);
  assert.equal((await books())[0].ctx, ['visitor']);
  assert.ok(JSON.parse((await ask('reach')).text).routes.length > 10);
  const none = await ask('reach', { route: '/api/v1/boks/:id' });
  assert.is(none.isError, true);
  assert.match(none.text, 'there is no route /api/v1/boks/:id.');
}

/** It describes uncommitted changes, and given files. */
async function impact(site: Running, ask: Ask): Promise<void> {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: site.made.root,
    });
  const labels = async (given?: object) =>
    JSON.parse((await ask('impact', given)).text).routes.map(({ label }: { label: string }) => label);
  assert.is((await ask('impact', { since: 'nope' })).isError, true);
  git('init', '--quiet');
  site.made.write('.gitignore', '.fwk/\n');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'a');
  assert.equal(await labels(), []);
  site.made.write(BOOK, GET.replace('1', '2'));
  assert.equal(await labels(), ['GET /api/v1/books/:id']);
  assert.equal(await labels({ files: [site.made.label(BOOK)] }), ['GET /api/v1/books/:id']);
}

/** It reports findings, and a broken policy. */
async function prove(site: Running, ask: Ask): Promise<void> {
  const report = JSON.parse((await ask('prove')).text);
  assert.equal(report.findings, []);
  assert.ok(report.requests > 100 && report.holding > 0, JSON.stringify(report));
  site.made.write(LEAK, GET);
  const { findings, requests } = JSON.parse((await ask('prove', { static: true })).text);
  assert.equal(requests, 0);
  assert.equal(
    findings.map(({ route, file, problem }: Record<string, string>) => [route, file, problem]),
    [['GET /api/v1/admin/leak', `src/${LEAK}`, 'does not pass src/api/v1/admin/_middleware.ts']],
  );
  await site.save({ 'api/v1/admin/_middleware.ts': layer });
  const open = JSON.parse((await ask('prove')).text);
  assert.ok(open.findings.some(({ kind }: { kind: string }) => kind === 'open'));
  await site.save({ 'policy.ts': 'export default 1;\n' });
  const wrong = await ask('prove');
  assert.is(wrong.isError, true);
  assert.match(wrong.text, 'src/policy.ts: does not export a policy');
}

test('each tool reports on the version after the last save', () =>
  running(files, async (site) => {
    const client = await connected(Object.keys(clients)[0] ?? '', {
      url: site.server.url,
      path: '/_fwk/mcp',
    });
    const ask: Ask = async (name, given = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: given });
      return { isError: isError === true, text: content[0]?.text ?? '' };
    };
    try {
      for (const check of [reach, impact, prove]) await check(site, ask);
    } finally {
      await client.close();
    }
  }));

test.run();
