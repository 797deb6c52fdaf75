import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CONFIG, labelsOf, type Report, repository } from './impact-repository.js';
import { filesIn } from './project-text.js';

// The report of `fwk impact`: reasons, files that are no modules, tests, and its formats.

const before = filesIn(`
services/books.ts service(() => ({ all: () => ['all'], one: id => id }))
services/shelf.ts service(() => { const kept = new Map(); return { put: () => kept.set('a', 1), all: () => [...kept] }; })
lib/page.ts     export const page = ctx => ctx.books.all().join();
api/books/get.ts get((q, s, ctx) => ctx.books.all())
api/books/[id].get.ts get((q, s, ctx) => [ctx.books.all(), ctx.books.one('1')])
api/books/best.get.ts get(() => 'best')
api/plain.ts    get(() => 'plain')
api/shelf.get.ts get((q, s, ctx) => ctx.shelf.all())
api/shelf.post.ts post(() => 1)
api/content.get.ts import { readdirSync } from 'node:fs'; get(() => readdirSync('content'))
web/get.ts      import { page } from '../lib/page.js'; get((q, s, ctx) => page(ctx))
ws/echo.ts      ws(({ socket }) => { socket.send('hello'); })
mcp/tools/list.ts tool({ description: 'Lists.', handler: (input, ctx) => ctx.books.all().join() })
test/books.test.js import { createTestApp } from 'fwkit/testing'; const app = await createTestApp(); await app.get('/api/books?page=2');
test/page.test.js import { page } from '../src/lib/page.ts'; page();
test/plain.test.js import { createTestApp } from 'fwkit/testing'; import { ask } from './ask.js'; await ask(await createTestApp());
test/ask.js     export const ask = app => app.get('/api/plain');
test/unknown.test.js import { createTestApp } from 'fwkit/testing'; await createTestApp();
`);
const repo = repository(before);
const { after, edited } = repo;
const BOOKS = ['GET /api/books', 'GET /api/books/:id', 'GET /', 'TOOL list'];
const endpoints = async (changes: Parameters<typeof after>[0]) => labelsOf(await after(changes));

const test = suite('fwk impact');

test('each entry has the path to the change, and tests are found by imports and by URLs', async () => {
  const report = await after(edited('services/books.ts', "'all'", "'every'"));
  assert.equal(labelsOf(report), BOOKS);
  assert.equal(report.tests, ['test/books.test.js', 'test/page.test.js', 'test/unknown.test.js']);
  assert.equal(report.changed, [{ file: 'src/services/books.ts', parts: ['all'] }]);
  assert.is(report.routes[0]?.why, 'src/api/books/get.ts → ctx.books.all');
  assert.is(report.pages[0]?.why, 'src/web/get.ts → src/lib/page.ts page → ctx.books.all');
});

test('an endpoint that reads changed data is listed with the data', async () => {
  const { routes } = await after(edited('api/shelf.post.ts', '() => 1', '(q, s, ctx) => ctx.shelf.put()'));
  const reader = routes.find(({ label }) => label === 'GET /api/shelf');
  assert.is(reader?.through, 'ctx.shelf');
  assert.is(reader?.why, 'reads ctx.shelf, which POST /api/shelf changes');
});

test('a deleted route and a removed method are listed as gone', async () => {
  const { routes } = await after({ 'api/books/best.get.ts': undefined });
  assert.match(routes[0]?.why ?? '', 'may share URLs with GET /api/books/best');
  assert.is(routes.find(({ label }) => label === 'GET /api/books/best')?.isGone, true);
  assert.equal(await endpoints(edited('api/plain.ts', /get/g, 'post')), [
    'GET /api/plain (gone)',
    'POST /api/plain',
  ]);
});

test('files that nothing imports reach everything, and documentation reaches nothing', async () => {
  const all = ({ everything, total, tests, ...report }: Report, file: string) => {
    assert.match(everything.join(), file);
    assert.is(labelsOf({ ...report, everything, total, tests }).length, total.endpoints);
    assert.is(tests.length, total.tests);
  };
  all(await after({ 'package.json': '{ "type": "module" }' }), 'package.json');
  all(await after({ 'tsconfig.json': '{}' }), 'tsconfig.json');
  all(await after({ 'migrations/1.sql': 'SELECT 1;' }), 'migrations/1.sql');
  all(await after({ 'views/lost.eta': 'x' }), 'views/lost.eta');
  all(await after(edited('fwk.config.ts', 'plugins:', 'http: {}, plugins:')), 'src/fwk.config.ts');
  assert.equal(await endpoints({ 'fwk.config.ts': `// x\n${CONFIG}` }), []);
  // The route lists the directory.
  assert.equal(await endpoints({ 'content/a.md': 'x' }), ['GET /api/content']);
  assert.equal(await endpoints({ 'README.md': 'x', LICENSE: 'y', '.github/a.yml': 'z' }), []);
  assert.equal(await endpoints({ 'public/a/index.html': 'x' }), ['GET /a/']);
});

test('a project that cannot be imported has no impact: the exit code is 2', async () => {
  repo.write('services/books.ts', repo.read('services/books.ts').replace('all:', 'all: = '));
  const { status, stderr } = await repo.run('--since', 'HEAD');
  repo.restore();
  assert.is(status, 2);
  assert.match(stderr, 'src/services/books.ts');
});

test('a new service, a policy and a type reach nothing', async () => {
  const report = await after({
    'services/spare.ts': before['services/books.ts'],
    'policy.ts': 'export default {};\n',
    'lib/page.ts': `// x\ninterface Unused { a: 1 }\n${repo.read('lib/page.ts')}`,
  });
  assert.equal(labelsOf(report), []);
  assert.equal(report.changed[0], { ...report.changed[0], file: 'src/lib/page.ts', parts: [] });
});

test('the report has formats for the terminal and test runners', async () => {
  const { stdout } = await repo.run('src/services/books.ts');
  assert.match(stdout, /^Routes \(2\)$/m);
  assert.match(stdout, /^ {2}GET \/api\/books +src\/api\/books\/get\.ts → ctx\.books\.all$/m);
  assert.match(stdout, /^1 changed file: 4 of \d+ endpoints reached, 3 of \d+ test files$/m);
  const tests = (await repo.run('src/services/books.ts', '--tests')).stdout;
  assert.is(tests, 'test/books.test.js\ntest/page.test.js\ntest/unknown.test.js\n');
});

test.run();
