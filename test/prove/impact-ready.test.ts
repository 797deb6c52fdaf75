import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CONFIG, repository, told } from './impact-repository.js';

// /readyz asks services whether they are well: what that goes by reaches it, and nothing else of them does.

const CLIENT = `export class Client {
  constructor(readonly url: string) {}
  ping() { return this.url !== ''; }
}
`;

const repo = repository({
  'fwk.config.ts': CONFIG,
  'middlewares/log.ts':
    "import { middleware } from 'fwkit';\nexport default middleware((_req, _res, _ctx, next) => next());\n",
  'lib/client.ts': CLIENT,
  'lib/limit.ts': 'export const limit = 10;\n',
  'lib/text.ts': "export const text = 'rows';\n",
  'services/settings.ts':
    "import { service } from 'fwkit';\nexport default service(() => ({ url: () => 'db:', title: () => 'Shop' }));\n",
  'services/database.ts': `import { service } from 'fwkit';
import { Client } from '../lib/client.js';
import { limit } from '../lib/limit.js';
import { text } from '../lib/text.js';
export default service(
  (ctx: any) => {
    const client = new Client(ctx.settings.url());
    let open = 0;
    return { all: () => [text], isOpen: () => client.ping(), used: () => open };
  },
  { health: (database) => database.isOpen() && database.used() < limit },
);
`,
  'services/plain.ts':
    "import { service } from 'fwkit';\nexport default service(() => ({ one: () => 1 }));\n",
  'api/rows.get.ts':
    "import { get } from 'fwkit';\nexport default get((_req, _res, ctx: any) => ctx.database.all());\n",
  'api/plain.get.ts':
    "import { get } from 'fwkit';\nexport default get((_req, _res, ctx: any) => ctx.plain.one());\n",
  'test/ready.test.ts':
    "import { createTestApp } from 'fwkit/testing';\nconst app = await createTestApp();\nawait app.get('/readyz');\n",
});
const READY = 'GET /readyz';
const ROWS = 'GET /api/rows';
const TEST = 'src/test/ready.test.ts';

const { after, edited } = repo;

/** What an edit of one file reaches. */
const reachedBy = (name: string, from: string, to: string) => after(edited(name, from, to));

const test = suite('impact on /readyz');

test('what a check goes by reaches it, with the way, and the test that asks it', async () => {
  const impact = await reachedBy('lib/client.ts', "!== ''", "!== 'x'");
  assert.ok(told(impact).includes(READY));
  assert.ok(told(impact).includes(TEST));
  const ready = impact.routes.find(({ label }) => label === READY);
  assert.equal(ready?.by, ['src/services/database.ts', 'src/lib/client.ts']);
  assert.is(ready?.kind, 'health');
  assert.ok(told(await reachedBy('services/settings.ts', "'db:'", "'db2:'")).includes(READY));
});

test('the check itself, and what it alone mentions, reaches it alone', async () => {
  assert.equal(told(await reachedBy('services/database.ts', '< limit', '<= limit')), [READY, TEST]);
  assert.equal(told(await reachedBy('lib/limit.ts', '10', '20')), [READY, TEST]);
  assert.equal(told(await reachedBy('services/database.ts', 'used: () => open', 'used: () => open + 1')), [
    READY,
    TEST,
  ]);
});

test('other members, other services and layers do not', async () => {
  assert.equal(told(await reachedBy('lib/text.ts', 'rows', 'lines')), [ROWS]);
  assert.equal(told(await reachedBy('services/plain.ts', '1', '2')), ['GET /api/plain']);
  assert.not(told(await reachedBy('services/settings.ts', 'Shop', 'Store')).includes(READY));
  assert.not(told(await reachedBy('middlewares/log.ts', 'next()', '(1, next())')).includes(READY));
  assert.not(told(await after({ 'middlewares/log.ts': undefined })).includes(READY));
});

test('a check that comes or goes does, and a service that has one', async () => {
  const checked = repo.read('services/database.ts');
  const unchecked = checked.replace(/\{ health: .*,\n/, '');
  assert.ok(told(await after({ 'services/database.ts': unchecked })).includes(READY));
  assert.ok(told(await after({ 'services/plain.ts': checked })).includes(READY));
  assert.ok(told(await after({ 'services/more.ts': checked })).includes(READY));
  assert.ok(told(await after({ 'services/database.ts': undefined })).includes(READY));
});

test('it is told at the path that it has, and nowhere where nobody is asked', async () => {
  const at = (ready: string) => CONFIG.replace('plugins:', `health: { ready: ${ready} }, plugins:`);
  const file = 'src/lib/limit.ts';
  repo.write('fwk.config.ts', at("'/up/ready'"));
  const { stdout } = await repo.impact(file);
  assert.match(stdout, /^ {2}GET \/up\/ready +src\/services\/database\.ts → src\/lib\/limit\.ts$/m);
  const isTold = async () =>
    told(await repo.report({ files: [file] })).some((one) => /ready$|readyz/.test(one));
  repo.write('fwk.config.ts', at('false'));
  assert.not(await isTold());
  repo.write('fwk.config.ts', CONFIG.replace('plugins:', "disable: ['health'], plugins:"));
  assert.not(await isTold());
  repo.write('fwk.config.ts', CONFIG);
  assert.ok(await isTold());
  repo.write('web/readyz.get.ts', "import { get } from 'fwkit';\nexport default get(() => 'mine');\n");
  assert.not(await isTold());
  repo.restore();
});

test.run();
