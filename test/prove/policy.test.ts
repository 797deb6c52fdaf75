import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  anonymous,
  describeRule,
  everything,
  type Guard,
  mutations,
  policy,
  type Rule,
  sockets,
  tools,
  under,
  visitor,
} from '../../packages/prove/policy/rule.js';

// The functions of a policy, without a project.

const test = suite('writing a policy');

const member = visitor('a member', { headers: { Authorization: 'Bearer m' }, ctx: {} });
const rulesOf = (...rules: Rule[]) => policy(rules).rules;

test('a rule is data, and reports show it as written', () => {
  const base = under('/api/admin/**/').passes('log');
  const [rule] = rulesOf(
    base
      .passes('csrf', 'api/admin')
      .except('/api/admin/ping', ' the balancer ')
      .refuses(anonymous)
      .admits(member),
  );
  assert.is(rule?.pattern, 'api/admin/**');
  assert.equal(rule?.guards, ['log', 'csrf', 'api/admin']);
  assert.equal(
    rule?.exceptions.map(({ pattern, why }) => [pattern, why]),
    [['api/admin/ping', 'the balancer']],
  );
  assert.is(
    rule && describeRule(rule),
    'under("api/admin/**").passes("log", "csrf", "api/admin").refuses(anonymous).admits(a member)',
  );
  const shown = rulesOf(
    base,
    mutations('api/**').refuses(member),
    mutations().passes('csrf'),
    sockets().admits(member),
    tools('admin/**').needs('a', 'b').admits(member),
    everything().passes('log'),
    under('/').passes('log'),
  ).map(describeRule);
  assert.equal(shown, [
    'under("api/admin/**").passes("log")',
    'mutations("api/**").refuses(a member)',
    'mutations().passes("csrf")',
    'sockets().admits(a member)',
    'tools("admin/**").needs("a", "b").admits(a member)',
    'everything().passes("log")',
    'under("**").passes("log")',
  ]);
});

test('each part of a rule records its line', () => {
  const lines = (error: Error | undefined) => /policy\.test\.\w+:(\d+)/.exec(error?.stack ?? '')?.[1];
  const rule = under('a').passes('b').except('c', 'd');
  const [data] = rulesOf(rule);
  const [begun, excepted] = [lines(data?.at), lines(data?.exceptions[0]?.at)].map(Number);
  assert.ok(begun && excepted && excepted >= begun, `${begun} ${excepted}`);
});

test('visitors have their values, with lower-case header names', () => {
  assert.equal({ ...member }, { name: 'a member', headers: { authorization: 'Bearer m' }, ctx: {} });
  assert.equal({ ...anonymous }, { name: 'anonymous', headers: {}, ctx: {} });
});

const NOT_TYPED = {} as Record<string, never>;
const as = (value: unknown): never => Object.assign(NOT_TYPED, { value }).value as never;
const NOBODY: [never] = as([]);
const mistakes: Readonly<Record<string, readonly [message: string, make: () => unknown]>> = {
  'no pattern': ["under() takes a pattern, such as 'api/admin/**'", () => under(as(undefined))],
  'an empty pattern': ["under() takes a pattern, such as 'api/admin/**'", () => under(as(' '))],
  'a list for a pattern': ['mutations() takes a pattern', () => mutations(as(['a', 'b']))],
  'no reason': ['under("a").except("b") takes a reason', () => under('a').except('b', as(undefined))],
  'an empty reason': ['takes a reason, which reports show', () => under('a').except('b', as(' '))],
  'no excepted pattern': ['except() takes a pattern, and a reason', () => under('a').except(as(''), 'why')],
  'no guard': ['under("a").passes() takes names of middlewares', () => under('a').passes(...NOBODY)],
  'an empty guard': ['takes names of middlewares', () => under('a').passes('b', '' as Guard)],
  'no key': ['under("a").reads() takes keys of ctx', () => under('a').reads(...NOBODY)],
  'no scope': ['tools("a").needs() takes scopes', () => tools('a').needs(...NOBODY)],
  'scopes of routes': [
    'needs() requires a rule that begins with tools()',
    () => (under('a') as ReturnType<typeof tools>).needs('b'),
  ],
  'a name for a visitor': ['under("a").refuses() takes visitors', () => under('a').refuses(as('anonymous'))],
  'nobody admitted': ['under("a").admits() takes visitors', () => under('a').admits(...NOBODY)],
  'a visitor without a name': ['visitor() takes a name', () => visitor(as(''))],
  'an unknown option': ['takes { headers, ctx } after the name', () => visitor('a', as({ header: {} }))],
  'a header that cannot be sent': [
    'has a header that cannot be sent: Invalid character in header content',
    () => visitor('a', { headers: { x: 'a\nb: c' } }),
  ],
  'no rules': ['policy([]) has no rule', () => policy([])],
  'no list': ['policy() takes a list of rules', () => policy(as(everything()))],
  'no rule': ['Rule 2 of policy() is not a rule', () => policy([everything().passes('a'), as(anonymous)])],
  'a rule that asks for nothing': [
    'under("a") requires nothing',
    () => policy([under('a').except('b', 'c')]),
  ],
  'one refused and admitted': [
    'refuses and admits a member',
    () => policy([under('a').refuses(member).admits(member)]),
  ],
  'two visitors of one name': [
    'Two visitors are called "a member"',
    () => policy([under('a').refuses(member).admits(visitor('a member'))]),
  ],
};

for (const [name, [message, make]] of Object.entries(mistakes))
  test(`throws immediately for ${name}`, () => {
    const error = assert.throws(
      make,
      (thrown: unknown) => thrown instanceof TypeError && thrown.message.includes(message),
    );
    return error;
  });

test.run();
