import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { terminalLines } from '../../packages/prove/impact/command.js';
import type { Impact } from '../../packages/prove/impact/compose.js';
import { repository, told } from './impact-repository.js';
import { shop } from './impact-shop.js';

// What a change reaches, by the command, in a repository.

const test = suite('fwk impact');
const repo = repository(shop);
const { after, edited } = repo;

test('a member of a service reaches those that call it, over imports too, and the tests of these', async () => {
  const impact = await after(edited('services/books.ts', "'all'", "'every'"));
  assert.equal(told(impact), [
    'GET /api/books',
    'GET /api/books/:id',
    'GET /',
    'TOOL list',
    'test/books.test.js',
    'test/page.test.js',
    'test/unknown.test.js',
  ]);
  assert.equal(impact.changed, [{ file: 'src/services/books.ts', parts: ['all'] }]);
  assert.equal(impact.routes[0]?.by, ['src/api/books/get.ts', 'src/services/books.ts']);
  assert.equal(impact.pages[0]?.by, ['src/web/get.ts', 'src/lib/page.ts', 'src/services/books.ts']);
});

test('types, comments, layout and the names of imports reach nothing', async () => {
  const impact = await after({
    ...edited('services/books.ts', 'all: ()', '/** All. */\n\n    all: (): readonly string[]'),
    ...edited('lib/page.ts', 'export', '// x\ninterface Unused { a: 1 }\nexport type Used = Unused;\nexport'),
  });
  assert.equal(told(impact), []);
  assert.match(impact.changed[0]?.note ?? '', 'types');
});

test('a new member, or a new function beside others, reaches nobody', async () => {
  const impact = await after({
    ...edited('services/books.ts', 'all: ()', 'fresh: () => 1,\n    all: ()'),
    ...edited('lib/page.ts', /^/, 'export const other = () => 2;\n'),
  });
  assert.equal(told(impact), []);
});

test('what one call keeps, another that looks there finds', async () => {
  const impact = await after(edited('services/visits.ts', 'visits += 1', 'visits += 2'));
  assert.equal(told(impact).slice(0, 2), ['GET /api/visits', 'POST /api/visits']);
});

test('a route that comes, goes or is renamed reaches those that answer its URL', async () => {
  const best = 'api/books/best.get.ts';
  const gone = await after({ [best]: undefined });
  assert.equal(told(gone).slice(0, 2), ['GET /api/books/:id', 'GET /api/books/best (gone)']);
  assert.match(gone.routes[0]?.why ?? '', 'answers URLs of GET /api/books/best, which is gone');
  const came = await after({ 'api/books/first.get.ts': repo.read(best) });
  assert.equal(told(came).slice(0, 2), ['GET /api/books/:id', 'GET /api/books/first']);
  const renamed = await after({ [best]: undefined, 'api/books/first.get.ts': repo.read(best) });
  assert.equal(
    renamed.routes.map(({ label }) => label),
    ['GET /api/books/:id', 'GET /api/books/best', 'GET /api/books/first'],
  );
  const method = await after(edited('api/plain.ts', /get/g, 'post'));
  assert.equal(told(method).slice(0, 2), ['GET /api/plain (gone)', 'POST /api/plain']);
});

test('a middleware reaches those below it, also when it comes or goes', async () => {
  const name = 'api/admin/_middleware.ts';
  for (const change of [edited(name, '403', '401'), { [name]: undefined }])
    assert.equal(
      (await after(change)).routes.map(({ label }) => label),
      ['GET /api/admin/stats'],
    );
  const came = await after({ 'api/books/_middleware.ts': repo.read(name) });
  assert.ok(came.routes.length === 3, told(came).join());
});

test('a template reaches those that render it, or one that includes it', async () => {
  const impact = await after({ 'views/parts/head.eta': '<h2>' });
  assert.equal(told(impact).slice(0, 1), ['GET /about']);
  assert.equal((await after({ 'views/lost.eta': 'x' })).everything.length, 1);
});

test('a file of public/ reaches its URL, and sockets and jobs are told', async () => {
  const impact = await after({
    'public/a/index.html': 'x',
    ...edited('lib/words.ts', 'hello', 'hi'),
  });
  assert.equal(told(impact), ['WS /ws/echo', 'CRON nightly 0 3 * * *', 'GET /a/', 'test/unknown.test.js']);
});

test('files that nothing imports reach everything, those for people nothing', async () => {
  for (const name of ['package.json', '.env', 'tsconfig.json', 'migrations/1.sql']) {
    const impact = await after({ [name]: name === 'package.json' ? '{ "type": "module" }' : '{}' });
    assert.match(impact.everything.join(), name);
    assert.is(told(impact).length, impact.total.endpoints + impact.total.tests);
  }
  const config = await after(edited('fwk.config.ts', 'plugins:', 'http: {}, plugins:'));
  assert.match(config.everything.join(), 'src/fwk.config.ts');
  assert.equal(told(await after(edited('fwk.config.ts', /^/, '// x\n'))), []);
  assert.equal(told(await after({ 'README.md': 'x', LICENSE: 'y', '.github/a.yml': 'z' })), []);
  assert.match((await after({ 'content/a.md': 'x' })).everything.join(), 'content/a.md');
});

test('a lock file reaches the importers of packages whose version changed', async () => {
  const lock = JSON.parse(repo.read('package-lock.json'));
  lock.packages['node_modules/deep'].version = '2.0.0';
  const impact = await after({ 'package-lock.json': JSON.stringify(lock) });
  assert.equal(told(impact).slice(0, 1), ['GET /api/packaged']);
  assert.is(impact.routes.length, 1);
});

test('a mistake of syntax is told, and reaches what used the version before', async () => {
  repo.write('services/books.ts', repo.read('services/books.ts').replace('all:', 'all: = '));
  const { status, stdout } = await repo.impact('--since', 'HEAD', '--json');
  repo.restore();
  assert.is(status, 0);
  const impact: Impact = JSON.parse(stdout);
  assert.match(impact.problems.join(), /^src\/services\/books\.ts:\d+ does not parse/);
  assert.equal(told(impact).slice(0, 4), ['GET /api/books', 'GET /api/books/:id', 'GET /', 'TOOL list']);
});

test('a changed file that no endpoint leads to is told as one', async () => {
  const spare = "import { service } from 'fwkit';\nexport default service(() => ({ one: () => 1 }));\n";
  const impact = await after({
    'services/spare.ts': spare,
    ...edited('services/books.ts', "'all'", "'every'"),
    'test/spare.test.js': "import '../src/services/spare.ts';\n",
  });
  const notes = impact.changed.map(({ file, note }) => [file, note]);
  assert.equal(notes, [
    ['src/services/books.ts', undefined],
    ['src/services/spare.ts', 'reached by no endpoint'],
    ['test/spare.test.js', undefined],
  ]);
  const lines = terminalLines(impact);
  assert.ok(lines.includes('src/services/spare.ts: reached by no endpoint'), lines.join('\n'));
});

test('what shares data with the change is told, and added where it is asked for', async () => {
  // A service that counts as one part, and one that keeps what two of its members use.
  for (const [key, label] of [
    ['store', 'GET /api/stored'],
    ['shelf', 'GET /api/shelved'],
  ] as const) {
    const change = edited('api/visits.post.ts', 'enter()', `enter(), ctx.${key}.put()`);
    const impact = await after(change);
    assert.not.ok(told(impact).includes(label));
    assert.equal(impact.shared.find(({ through }) => through === key)?.endpoints, [label]);
    assert.ok(told(await after(change, { data: true })).includes(label));
  }
});

test('the same answer whatever the order of files', async () => {
  const names = ['src/services/books.ts', 'src/lib/page.ts', 'src/api/plain.ts'];
  const [one, other] = [
    await repo.report({ files: names }),
    await repo.report({ files: names.toReversed() }),
  ];
  assert.equal(told(one), told(other));
});

test('it is printed for people, for a review, and for those who run tests', async () => {
  const { stdout } = await repo.impact('src/services/books.ts');
  assert.match(stdout, /^Routes \(2\)$/m);
  assert.match(stdout, /^ {2}GET \/api\/books +src\/api\/books\/get\.ts → src\/services\/books\.ts$/m);
  assert.match(stdout, /^1 changed file: 4 of \d+ endpoints reached, 3 of \d+ test files$/m);
  const markdown = (await repo.impact('src/services/books.ts', '--markdown')).stdout;
  assert.match(markdown, '| `GET /api/books` | src/api/books/get.ts → src/services/books.ts |');
  const tests = (await repo.impact('src/services/books.ts', '--tests')).stdout;
  assert.is(tests, 'test/books.test.js\ntest/page.test.js\ntest/unknown.test.js\n');
});

test.run();
