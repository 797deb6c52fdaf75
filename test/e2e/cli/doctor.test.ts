import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { di, middleware, module, route } from '../../harness/source.js';
import { doctor, doctorReport, placed, reading, scaffolded, service } from './doctor.js';

const test = suite('fwk doctor');

const guard = middleware('(_req, _res, _ctx, next) => next()');

for (const flags of [[], ['--js']])
  test(`finds nothing in a new project ${flags.join()}`, async () => {
    const made = await scaffolded({}, ...flags);
    const { status, stdout, stderr } = await doctor(made);
    assert.equal([status, stderr], [0, '']);
    assert.is(stdout, `Nothing found in ${made.root}.\n`);
  });

test('finds only the intended .env in the example application', async () => {
  const root = path.join(repo, 'examples/bookshop');
  // Here fwk is run from where the tests have installed it.
  const rules = 'env-committed,env-not-ignored,two-copies';
  assert.is((await fwk({ root }, 'doctor', '--skip', rules)).stdout, `Nothing found in ${root}.\n`);
});

test('reports an unused value, but none that might be read', async () => {
  const made = await scaffolded({
    'services/unused.ts': service('{ a: 1 }'),
    'services/dotted.ts': service('{ a: 1 }'),
    'services/quoted.ts': service('{ a: 1 }'),
    'services/taken-apart.ts': service('{ a: 1 }'),
    'services/tested.ts': service('{ a: 1 }'),
    'services/timer.ts': module(
      'service',
      `export default service((_ctx, { onStart }) => { onStart(() => {}); return {}; });`,
    ),
    'di/visitor.ts': di('request', `() => 1`),
    'api/a.get.ts': reading('ctx.dotted.a'),
    'api/b.get.ts': reading(`ctx['quoted'].a`),
    'api/c.get.ts': route('get', '(_req, _res, { logger, takenApart }) => String(logger) + takenApart'),
  });
  made.write('test/tested.test.js', 'app.ctx.tested;\n');
  assert.equal(placed(await doctorReport(made)), [
    'unused-value src/di/visitor.ts',
    'unused-value src/services/unused.ts',
  ]);
});

test('reports a file of public/ whose URL a route answers', async () => {
  const made = await scaffolded({
    'web/about.get.ts': route('get', `() => 'about'`),
    'web/shop/[name].get.ts': route('get', `() => 'shop'`),
    'public/about': 'never sent',
    'public/shop/a.html': 'never sent',
    'public/shop/b.html': 'never sent',
    'public/shop/deep/c.html': 'sent',
    'public/index.html': 'not at /',
    'web/get.ts': route('get', `() => 'root'`),
  });
  const { findings } = await doctorReport(made);
  assert.equal(
    findings.map(({ rule, file }) => `${rule} ${file}`),
    ['shadowed-file public/about', 'shadowed-file public/index.html', 'shadowed-file public/shop/a.html'],
  );
  assert.match(
    findings[2]?.message ?? '',
    'and 1 more are not sent: the route GET /shop/:name of src/web/shop/[name].get.ts',
  );
});

test('reports files of public/ and views/, and packages, that have no effect', async () => {
  const made = await scaffolded({
    'public/private/_middleware.js': guard,
    'views/old.ejs': '<p>',
    'views/chart.html': '<p>',
    'mcp/tools/chart.ts': `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'Draws.', view: 'chart.html', handler: () => 1 });`,
    'fwk.config.ts': "import { metrics } from '@fwkit/metrics';\nexport default { plugins: [metrics()] };\n",
  });
  const manifest = JSON.parse(made.read('package.json'));
  Object.assign(manifest.dependencies, { '@fwkit/metrics': '*', '@fwkit/redis': '*' });
  made.write('package.json', JSON.stringify(manifest));
  const { findings } = await doctorReport(made);
  assert.equal(
    findings.map(({ rule, file, message }) => `${rule} ${file} ${message}`),
    [
      'unused-plugin package.json has @fwkit/redis, but no module imports it, so it has no effect.',
      'unread-file public/private/_middleware.js protects nothing, and is sent to everyone: middlewares do not run for files in public/.',
      'unread-file views/old.ejs is not a template: view() renders files whose extension is .eta.',
    ],
  );
});

test('reports tools that some MCP clients cannot use', async () => {
  const tool = (more: string) => `import { tool } from 'fwkit/mcp';
export default tool({ ${more} handler: () => 'x' });`;
  const described = `description: 'Does it.',`;
  const made = await scaffolded({
    'mcp/tools/a-tool-with-a-name-of-many-more-than-forty-characters.ts': tool(described),
    'mcp/tools/long.ts': tool(`description: 'x'.repeat(1025),`),
    'mcp/tools/mute.ts': tool(''),
    'mcp/tools/union.ts': tool(`${described} input: { anyOf: [{ type: 'object' }] } as never,`),
    'api/fine.get.ts': route('get', `{ description: 'Fine.', tool: true }, () => 1`),
    ...Object.fromEntries(
      Array.from({ length: 36 }, (_, index) => [`mcp/tools/t${index}.ts`, tool(described)]),
    ),
  });
  const { findings } = await doctorReport(made);
  assert.equal(findings.map(({ rule, file }) => `${rule} ${file ?? ''}`).sort(), [
    'long-description src/mcp/tools/long.ts',
    'long-tool-name src/mcp/tools/a-tool-with-a-name-of-many-more-than-forty-characters.ts',
    'many-tools ',
    'tool-union src/mcp/tools/union.ts',
    'undescribed-tool src/mcp/tools/mute.ts',
  ]);
  assert.ok(findings.every(({ code }) => code === 'FWK522'));
});

test('prints the code of each finding, and one line on how to read about it', async () => {
  const made = await scaffolded({ 'services/unused.ts': service('{ a: 1 }') });
  const finding =
    'src/services/unused.ts: provides ctx.unused, but nothing reads it. Delete the file, or read the value. (unused-value)';
  const begin = `1 finding in ${made.root}:\n  FWK314 ${finding}\n`;
  assert.is((await doctor(made)).stdout, `${begin}Read more: npx fwk docs FWK314\n`);
  assert.is((await doctorReport(made)).findings[0]?.code, 'FWK314');
  made.write('api/idle/_middleware.ts', guard);
  assert.match((await doctor(made)).stdout, /\nRead more: npx fwk docs FWK116, or any other code above\n$/);
});

test('reports a _middleware that guards nothing', async () => {
  const made = await scaffolded({
    'api/admin/_middleware.ts': guard,
    'api/v1/_middleware.ts': guard,
    'api/v1/deep/a.get.ts': route('get', '() => 1'),
  });
  assert.equal(placed(await doctorReport(made)), ['idle-middleware src/api/admin/_middleware.ts']);
});

test('reports boot errors and the remaining findings if a project does not boot', async () => {
  const made = await scaffolded({
    'api/a.get.ts': 'export default 1;\n',
    'services/unused.ts': service('{ a: 1 }'),
  });
  const { status, stdout, stderr } = await doctor(made);
  assert.is(status, 1);
  assert.match(stderr, /^1 problem in .*:\n {2}FWK\d+ src\/api\/a\.get\.ts: /);
  assert.match(stdout, 'src/services/unused.ts: provides ctx.unused');
  made.write('fwk.config.ts', 'export default {');
  const { boot, findings } = await doctorReport(made);
  assert.is(boot.length, 1);
  assert.equal(findings, []);
});

test('does not say that nothing was found if a project does not boot', async () => {
  const made = await scaffolded({ 'api/a.get.ts': 'export default 1;\n' });
  assert.is((await doctor(made)).stdout, '');
});

test('runs rules of a plugin, and names the plugin if they fail', async () => {
  const plugin = (body: string) => `import { defineConfig } from 'fwkit';
import { definePlugin } from 'fwkit/plugin';

const own = definePlugin({
  name: 'own',
  doctor: async () => ({ examine: ({ project, routes, sources }) => { ${body} } }),
  apply() {},
});
export default defineConfig({ plugins: [own] });
`;
  const body = `return [{ rule: 'own-rule', file: 'x', message: \`has \${routes.length} routes and \${sources.has('src/main.ts')}.\`, fix: 'Look.' }, { rule: 'own-two', code: 'OWN-2', message: 'Is there.', fix: 'Go.' }];`;
  const made = await scaffolded({ 'fwk.config.ts': plugin(body) });
  const { findings } = await doctorReport(made);
  assert.equal(findings, [
    { rule: 'own-two', code: 'OWN-2', message: 'Is there.', fix: 'Go.', fixable: false },
    { rule: 'own-rule', file: 'x', message: 'has 2 routes and true.', fix: 'Look.', fixable: false },
  ]);
  assert.match((await doctor(made)).stdout, /\n {2}OWN-2 Is there\. Go\. \(own-two\)\n.* \(own-rule\)\n$/);
  made.write('fwk.config.ts', plugin(`throw new Error('on purpose');`));
  const { status, stderr } = await doctor(made);
  assert.is(status, 1);
  assert.match(stderr, 'Plugin "own" failed in its doctor: on purpose.');
});

test.run();
