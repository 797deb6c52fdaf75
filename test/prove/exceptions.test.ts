import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { route } from '../harness/source.js';
import { type Change, changed, findingsOf, GET, LOST, MOVE, rules, statically } from './static-project.js';

// Exceptions and public routes of a policy, each with a reason, and findings that only requests can decide.

const test = suite('ways out of a policy');

const exactly = (name: string, change: Change, ...expected: string[]) =>
  test(name, async () => assert.equal(await findingsOf(change), expected));

// Exceptions.
exactly(
  'an exception that matches nothing',
  rules("  everything()\n    .except('api/v1/old', 'it was there once')\n    .passes('csrf'),"),
  'stale: src/policy.ts:7 | the exception "api/v1/old" (it was there once) matches nothing that the rule selects | Remove it, or correct the pattern.',
);
exactly(
  'an exception for a route that passes the guard anyway',
  rules("  everything().except('api/v1/login', 'as yet').passes('csrf'),"),
  'stale: src/policy.ts:6 | the exception "api/v1/login" (as yet) has no effect: POST /api/v1/login passes csrf anyway | Remove it.',
);
exactly(
  'an alternative of an exception that matches nothing',
  {
    ...rules(
      "  under('api/v1/admin/**').except('api/v1/admin/{export,old}', 'numbers are public').passes('api/v1/admin'),",
    ),
    'api/v1/(open)/admin/export.get.ts': GET,
  },
  'stale: src/policy.ts:6 | "old" of the exception "api/v1/admin/{export,old}" (numbers are public) matches nothing that the rule selects | Correct the pattern, or remove this part of it.',
);
exactly('an exception of which a part is needed', {
  ...rules(
    "  under('api/v1/admin/**').except('api/v1/admin/{export,stats}', 'numbers are public').passes('api/v1/admin'),",
  ),
  'api/v1/(open)/admin/export.get.ts': GET,
});
test('requests decide whether an exception from a refusal has an effect, and reports show its reason', async () => {
  const { rules: checked, checked: parts } = await statically(changed({}));
  const mutations = checked[1];
  assert.equal(mutations?.findings, []);
  assert.ok(
    mutations?.proven.some(
      ({ route: label, by }) => label === 'POST /api/v1/login' && by === 'except: nobody is logged in yet',
    ),
  );
  assert.equal(
    parts
      .flatMap(({ excuses }) => excuses)
      .map(({ stale, asks }) => [
        stale.problem,
        asks.map(({ target, visitor }) => `${target.label} ${visitor.name}`),
      ]),
    [
      [
        'the exception "api/v1/login" (nobody is logged in yet) has no effect: POST /api/v1/login passes csrf and refuses anonymous anyway',
        ['POST /api/v1/login anonymous'],
      ],
    ],
  );
});

// Public routes.
const PUBLIC = route('get', '() => 1').replace(
  '(() => 1)',
  "(() => 1).meta({ public: 'the balancer asks it' })",
);
test('a public route needs no requests, and reports show its reason', async () => {
  const { rules: checked, checked: parts } = await statically(
    changed({ 'api/v1/admin/ping.get.ts': PUBLIC }),
  );
  assert.equal(
    checked.flatMap((rule) => rule.findings),
    [],
  );
  const label = 'GET /api/v1/admin/ping';
  assert.equal(
    checked[0]?.proven.filter((proof) => proof.route === label).map(({ by }) => by),
    ['chain', 'public: the balancer asks it'],
  );
  const asks = parts[0]?.asks.filter(({ target }) => target.label === label) ?? [];
  assert.equal(
    asks.map(({ visitor, refuses }) => [visitor.name, refuses]),
    [['an admin', false]],
  );
});
exactly(
  'a public route without a reason',
  {
    'api/v1/admin/ping.get.ts': PUBLIC.replace("'the balancer asks it'", "' '"),
    ...rules("  under('api/v1/admin/**').passes('api/v1/admin'),"),
  },
  "stale: GET /api/v1/admin/ping src/api/v1/admin/ping.get.ts | has .meta({ public }) without a reason, so it is not public | Give the reason: .meta({ public: 'the load balancer calls it' }).",
);
exactly(
  'a public route without its guard is reported',
  { 'api/v1/(open)/admin/ping.get.ts': PUBLIC },
  `missing: GET /api/v1/admin/ping src/api/v1/(open)/admin/ping.get.ts | ${LOST} | ${MOVE}`,
);

test('the static check leaves a question for each visitor', async () => {
  const { checked } = await statically(changed({}));
  const asks = checked[0]?.asks.filter(({ target }) => target.label === 'POST /api/v1/admin/books') ?? [];
  assert.equal(
    asks.map(({ visitor, refuses }) => `${refuses ? 'refuses' : 'admits'} ${visitor.name}`),
    ['refuses anonymous', 'refuses a member', 'admits an admin'],
  );
});

test.run();
