import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { route } from '../harness/source.js';
import {
  type Change,
  changed,
  findingsOf,
  GET,
  LOG_AND_CSRF,
  LOST,
  layer,
  MOVE,
  RULES,
  rules,
  statically,
  tool,
  WS,
} from './static-project.js';

// The findings of the static part of `fwk prove`: each rule has a break, in a project that complied before.

const test = suite('the static part of fwk prove');

const exactly = (name: string, change: Change, ...expected: string[]) =>
  test(name, async () => assert.equal(await findingsOf(change), expected));

const replaced = (from: string, to: string): Change => rules(RULES.replace(from, to));

exactly('all holds', {});

// The chain.
const NARROW = `${LOG_AND_CSRF} Narrow its path, or except it with a reason.`;
exactly(
  'a route in a group outside of the guard',
  { 'api/v1/(open)/admin/export.get.ts': GET },
  `missing: GET /api/v1/admin/export src/api/v1/(open)/admin/export.get.ts | ${LOST} | ${MOVE}`,
);
exactly(
  'a page with a URL below the pattern',
  { 'web/api/v1/admin/leak.get.ts': GET },
  `missing: GET /api/v1/admin/leak src/web/api/v1/admin/leak.get.ts | ${LOST} | ${MOVE}`,
);
exactly(
  'a catch-all with URLs below the pattern',
  { 'api/v1/[...rest].get.ts': GET },
  `missing: GET /api/v1/*rest src/api/v1/[...rest].get.ts | answers /api/v1/admin/zz, and ${LOST} | ${NARROW}`,
);
exactly(
  'a parameter that matches a segment of the pattern',
  { 'api/v1/[area]/dump.get.ts': GET },
  `missing: GET /api/v1/:area/dump src/api/v1/[area]/dump.get.ts | answers /api/v1/admin/dump, and ${LOST} | ${NARROW}`,
);
exactly(
  'an ALL route with a parameter, with one method that no other route answers',
  { 'api/v1/[area]/books.all.ts': route('all', '() => 1') },
  `missing: ALL /api/v1/:area/books src/api/v1/[area]/books.all.ts | answers /api/v1/admin/books, and ${LOST} | ${NARROW}`,
);
exactly('a parameter that a literal goes before', {
  'api/v1/[area].get.ts': GET,
  'api/v1/admin/get.ts': GET,
});
exactly('a catch-all that another goes before at every depth', {
  'api/v1/[...rest].get.ts': GET,
  'api/v1/admin/get.ts': GET,
  'api/v1/admin/[...rest].get.ts': GET,
});
exactly(
  'the guard is deleted',
  { 'api/v1/admin/_middleware.ts': undefined },
  'unknown: src/policy.ts:6 | there is no middleware "api/v1/admin" | Restore it, or correct the name. Known: middlewares/1.request-log, middlewares/2.csrf, mcp/_middleware, ws/live/_middleware.',
);
exactly(
  'middlewares in another order than in the rule',
  {
    ...rules("  under('api/v1/admin/**').passes('api/v1/admin', 'csrf'),"),
    'api/v1/admin/books/[id].get.ts': undefined,
    'api/v1/admin/books.post.ts': undefined,
  },
  'order: GET /api/v1/admin/stats src/api/v1/admin/(deep)/stats.get.ts | passes middlewares/2.csrf.ts → api/v1/admin/_middleware.ts, not api/v1/admin/_middleware.ts → middlewares/2.csrf.ts | Rename the middlewares so that they run in the order of the rule.',
);

// Mutations, sockets, tools.
test('mutations() selects all methods that may change something, and ALL', async () => {
  const files: Change = {
    ...rules("  mutations('api/**').passes('csrf'),"),
    'api/a.get.ts': GET,
    'api/a.head.ts': route('head', '() => 1'),
    'api/a.options.ts': route('options', '() => 1'),
    'api/a.put.ts': route('put', '() => 1'),
    'api/a.patch.ts': route('patch', '() => 1'),
    'api/a.del.ts': route('del', '() => 1'),
    'api/b.all.ts': route('all', '() => 1'),
  };
  const [rule] = (await statically(changed(files))).rules;
  const labels = rule?.selected.map(({ label }) => label).sort();
  assert.equal(labels, [
    'ALL /api/b',
    'DELETE /api/a',
    'PATCH /api/a',
    'POST /api/v1/admin/books',
    'POST /api/v1/login',
    'PUT /api/a',
  ]);
});
exactly(
  'a socket in a group outside of its guard',
  { 'ws/(open)/live/all.ts': WS },
  `missing: WS /ws/live/all src/ws/(open)/live/all.ts | does not pass src/ws/live/_middleware.ts | ${LOG_AND_CSRF} Move it below ws/live/, or except it with a reason.`,
);
exactly(
  'a tool without the scope',
  { 'mcp/tools/admin/list.ts': tool("scopes: ['notes:read'], ") },
  'missing: TOOL adminList src/mcp/tools/admin/list.ts | does not need the scope "notes:admin" | Add it to the tool: scopes: [\'notes:admin\'].',
);
test('everything() selects each route and tool, but no jobs', async () => {
  const [rule] = (await statically(changed(rules("  everything().passes('csrf'),")))).rules;
  const labels = rule?.selected.map(({ label }) => label) ?? [];
  assert.ok(
    labels.includes('MCP /mcp') && labels.includes('WS /ws/live/:room') && labels.includes('GET /'),
    labels.join(),
  );
  assert.equal(
    labels.filter((label) => label.startsWith('TOOL')),
    ['TOOL adminPurge', 'TOOL search'],
  );
});
// Names.
exactly(
  'a name that two middlewares share',
  { ...rules("  under('api/v1/admin/**').passes('admin'),"), 'web/admin/_middleware.ts': layer },
  'unknown: src/policy.ts:6 | "admin" names 2 middlewares | Write one of: web/admin/_middleware, api/v1/admin/_middleware.',
);
exactly(
  'a name without a middleware',
  rules("  everything()\n    .passes('crsf'),"),
  'unknown: src/policy.ts:6 | there is no middleware "crsf" | Restore it, or correct the name. Known: middlewares/1.request-log, middlewares/2.csrf, mcp/_middleware, ws/live/_middleware, api/v1/admin/_middleware.',
);
for (const name of ['api/v1/admin/_middleware', 'api/v1/admin', 'admin'])
  exactly(`a guard by the name ${name}`, rules(`  under('api/v1/admin/**').passes('${name}'),`));
for (const name of ['middlewares/2.csrf', 'csrf'])
  exactly(`a guard by the name ${name}`, rules(`  everything().passes('${name}'),`));

// Selection.
for (const pattern of [
  'api/v1/admin/**',
  '/api/v1/admin/**',
  'api/*/admin/**',
  'api/v1/admin/{books,stats}/**',
  'api/{,v1/}admin/**',
  'api/v1/admin/(deep)/stats.get',
  'api/v1/admin/stats',
  'api/v1/admin/books/[id].get',
  'api/v1/admin/books/:id',
])
  test(`a pattern by file, file without groups or URL: ${pattern}`, async () => {
    const { rules: checked } = await statically(
      changed(rules(`  under('${pattern}').passes('api/v1/admin'),`)),
    );
    assert.equal(
      checked.flatMap((rule) => rule.findings),
      [],
    );
    assert.ok((checked[0]?.proven.length ?? 0) > 0);
  });
exactly(
  'a rule that selects nothing',
  replaced("under('api/v1/admin/**')", "under('api/v1/amdin/**')"),
  'empty: src/policy.ts:6 | no route is selected by "api/v1/amdin/**" | Correct the pattern, or remove the rule.',
);
exactly(
  'an alternative of braces that selects nothing',
  rules("  under('api/{v1/admin,v2/admin,none}/**').passes('api/v1/admin'),"),
  ...['v2/admin', 'none'].map(
    (part) =>
      `empty: src/policy.ts:6 | no route is selected by "${part}" of "api/{v1/admin,v2/admin,none}/**" | Correct the pattern, or remove this part of it.`,
  ),
);
exactly(
  'a rule that excepts everything it selects',
  rules("  sockets().except('ws/**', 'public').refuses(anonymous),"),
  'empty: src/policy.ts:6 | excepts everything that it selects | Correct the pattern, or remove the rule.',
);
exactly('a pattern of files that are pages is not one of URLs', {
  'web/admin/get.ts': GET,
  'web/admin/_middleware.ts': layer,
  'web/[...path].get.ts': GET,
  ...rules("  under('web/admin/**').passes('web/admin'),"),
});

test.run();
